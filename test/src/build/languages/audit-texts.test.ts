/** The stored English sentences of the audit log, as the app's builds show them. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import esbuild from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCatalog } from '../../../../src/build/languages/catalog.mjs';
import { markTexts } from '../../../../src/build/languages/mark.mjs';
import { translateCode } from '../../../../src/build/languages/translate.mjs';

const test = suite('audit texts');
const SOURCE = 'src/screens/setup/audit/audit-texts.ts';

type AuditTexts = typeof import('../../../../src/screens/setup/audit/audit-texts') &
  typeof import('../../../../src/shared/audit-actions');

/** The module as the build of a language has it. */
async function textsIn(language: string): Promise<AuditTexts> {
  const marked = new Map();
  const { outputFiles } = await esbuild.build({
    stdin: {
      contents: `export * from './${SOURCE}'; export * from './src/shared/audit-actions';`,
      resolveDir: process.cwd(),
    },
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    globalName: 'texts',
    jsx: 'automatic',
    define: {
      LANGUAGE: JSON.stringify(language),
      LOCALE: JSON.stringify(language === 'ar' ? 'ar-u-nu-latn' : language),
      COMMA: JSON.stringify(language === 'ar' ? '، ' : ', '),
      'process.env.NODE_ENV': '"production"',
    },
    plugins: [
      {
        name: 'texts',
        setup: (build) =>
          build.onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, ({ path: file }) => ({
            contents: markTexts(
              readFileSync(file, 'utf8'),
              path.relative(process.cwd(), file),
              marked,
            ),
            loader: file.endsWith('x') ? 'tsx' : 'ts',
          })),
      },
    ],
  });
  const catalog = readCatalog(`src/languages/${language}`);
  const script = translateCode(
    outputFiles[0]?.text ?? '',
    marked,
    (key: string) => catalog.get(key)?.translation,
  );
  return vm.runInNewContext(`${script}; texts`, { Intl, Date, navigator: { language } });
}

const [german, arabic] = await Promise.all([textsIn('de'), textsIn('ar')]);
/** Removes the marks that isolate names. */
const plain = (text: string): string => text.replace(/[\u2068\u2069]/g, '');
const germanDetail = (action: string, detail: string): string =>
  plain(german.auditDetail({ action, detail }));

const SENTENCES: readonly (readonly [action: string, stored: string, shown: string])[] = [
  [
    'login',
    'With a password, 4 times within an hour',
    'Mit einem Passwort, 4-mal innerhalb einer Stunde',
  ],
  [
    'login.failed',
    'Company sign-in: unverified',
    'Firmenanmeldung: E-Mail-Adresse von der Firma nicht bestätigt',
  ],
  [
    'login.failed',
    '1,024 times within an hour, across all networks',
    '1.024-mal innerhalb einer Stunde, aus allen Netzen',
  ],
  ['user.add', 'Technician, subscribed to Storm, Ice', 'Techniker, abonniert: Storm, Ice'],
  [
    'user.import',
    'Added 1,204, subscribed 3 who already existed',
    'Neue Benutzer: 1.204, Abos für vorhandene Benutzer: 3',
  ],
  // banned-phrases: German
  ['user.change', 'Username, Email', 'Benutzername, E-Mail'],
  ['user.role', 'Technician to Admin', 'Techniker → Admin'],
  ['team.change', 'Formerly North crew', 'Früher North crew'],
  ['team.delete', '1 member', '1 Mitglied'],
  ['topic.delete', '1,200 subscribers', '1.200 Abonnenten'],
  ['key.limit', 'SCADA: 2 messages rejected', 'SCADA: mindestens 2 Nachrichten abgelehnt'],
  ['message.send', '36 people, urgent', '36 Personen · Dringend'],
  ['message.send', '1 person', '1 Person'],
  [
    'check-in.settings',
    'On, alarm 1 minute after the time is up',
    'Ein, Alarm 1 Minute nach Ablauf der Zeit',
  ],
  // Older entries use this sentence.
  ['check-in.settings', 'On, alarm after 5 minutes', 'Ein, Alarm 5 Minuten nach Ablauf der Zeit'],
  ['policy.change', '3 steps', '3 Stufen'],
  ['device.remove', 'Chrome, computer', 'Chrome, Computer'],
  [
    'device.remove',
    'Safari, iPhone or iPad, and 2 more devices of the same session',
    'Safari, iPhone oder iPad, dazu 2 weitere Geräte derselben Sitzung',
  ],
  [
    'reach.test',
    '64 devices, 2 skipped during quiet hours',
    '64 Geräte, in Ruhezeiten ausgelassen: 2',
  ],
  ['export', '30 days', '30 Tage'],
];

test('shows stored sentences in the language, with its numbers and plurals', () => {
  assert.equal(
    SENTENCES.map(([action, stored]) => germanDetail(action, stored)),
    SENTENCES.map(([, , shown]) => shown),
  );
  const arabicDetail = (action: string, detail: string) =>
    plain(arabic.auditDetail({ action, detail }));
  assert.is(arabicDetail('team.delete', '2 members'), 'عضوان');
  assert.is(arabicDetail('user.change', 'Username, Email'), 'اسم المستخدم، البريد الإلكتروني');
});

test('shows stored times in the reader’s time zone', () => {
  const time = '2026-11-02T06:30:00.000Z';
  const clock = new Date(time).toTimeString().slice(0, 5);
  const day = `2. Nov. 2026 ${clock}`;
  assert.is(
    germanDetail('message.send', `scheduled for ${time}, info`),
    `Geplant für ${day} · Info`,
  );
  for (const stored of ['Button pressed at', 'Pressed at'])
    assert.is(germanDetail('check-in.ok', `${stored} ${time}`), `Taste gedrückt: ${day}`);
  assert.is(
    germanDetail('device.remove', 'Firefox, Android, 12 more times since 2026-11-02 06:30 UTC'),
    `Firefox, Android, noch 12-mal seit ${day}`,
  );
});

test('finds actions by their names in the language', () => {
  assert.is(german.findActionsByName('benutzer GELÖSCHT'), 'user.delete');
  assert.is(german.findActionsByName('user deleted'), '');
});

test('leaves names and sentences that it does not know', () => {
  for (const [action, detail] of [
    ['team.join', 'Suspended'],
    ['key.add', 'Technician to Admin'],
    ['message.send', 'unheard of'],
    ['later.version', 'With a password'],
    ['constructor', 'Off'],
    ['user.change', ''],
  ] as const)
    assert.is(germanDetail(action, detail), detail);
  assert.is(german.auditTarget({ action: 'topic.add', target: 'Team' }), 'Team');
  assert.is(german.auditTarget({ action: 'topic.add', target: 'everybody' }), 'everybody');
  assert.is(german.auditActor({ actor: 'ada.lindqvist' }), 'ada.lindqvist');
});

test('names in the language what has no account', () => {
  assert.is(plain(german.auditActor({ actor: 'key: backup' })), 'Schlüssel: backup');
  assert.is(german.auditActor({ actor: 'command line' }), 'Befehlszeile');
  assert.is(plain(german.auditActor({ actor: 'deleted user 17' })), 'gelöschter Benutzer 17');
  const target = (action: string, stored: string) =>
    plain(german.auditTarget({ action, target: stored }));
  assert.is(target('login.failed', 'unknown account'), 'unbekanntes Konto');
  assert.is(target('reach.test', 'everybody'), 'alle');
  assert.is(target('message.cancel', '3 people'), '3 Personen');
  assert.is(
    plain(arabic.auditTarget({ action: 'message.cancel', target: 'Teams + 2' })),
    'الفرق + 2',
  );
});

test('knows every sentence that the server records', () => {
  const known = readFileSync(SOURCE, 'utf8');
  const recordedPaths = readdirSync('server', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('demo'))
    .flatMap((file) => readFileSync(path.join('server', file), 'utf8').split('\n'))
    .filter(
      (line) =>
        /\bdetail(?::| =)|\b(?:recordSignIn|recordFailure)\(|^ +\? '|const how =/.test(line) &&
        !/\blog\.\w+\(/.test(line),
    )
    .flatMap((line) => [
      ...line.matchAll(/(?:detail(?::| =)|record\w+\(|how =).*'([A-Z][^']* [^']*)'/g),
    ])
    .map(([, sentence = '']) => sentence);
  assert.ok(recordedPaths.length > 10, 'The server’s sentences are found.');
  assert.equal(
    recordedPaths.filter((sentence) => !known.includes(sentence)),
    [],
  );
});

test.run();
