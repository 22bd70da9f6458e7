/**
 * Breaks the code on purpose in 30 places, one at a time, and says which test notices: a test that
 * cannot fail is a defect, and so is code that nothing holds. Works on a copy, so that nobody's
 * checkout is touched.
 *
 *   node test/checks/mutations.mjs [PART OF A FILE …]
 *
 * Prints for each break the first test that caught it; last `N caught, N missed`. Fails below 28 of
 * 30. Some minutes.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SHARE = 28 / 30;

/**
 * File, what is there, what takes its place, and the tests (parts of their paths) that are to
 * notice.
 */
const BREAKS = [
  ['src/api/call.ts', "status === 503 && method === 'GET'", 'status === 503', 'src/api/call'],
  ['src/api/call.ts', 'if (session.token() !== token) throw', 'if (false) throw', 'src/api/call'],
  ['src/api/call.ts', 'if (status === 401 && token) session.rejected(token);', '', 'src/api/call'],
  ['src/api/call.ts', 'encodeURIComponent(params[name] ??', '(params[name] ??', 'src/api/call'],
  ['src/app.tsx', "path.value.startsWith('/admin') && !isAdmin.value", 'false', 'src/app'],
  ['src/platform/location.ts', 'return url.origin === location.origin &&', 'return', 'src/app'],
  ['src/state/session.ts', "payload.type !== 'access'", 'false', 'state/session'],
  [
    'src/state/session.ts',
    'if (text !== token.value) token.value = null;',
    '',
    'src/app notifications/settings',
  ],
  [
    'src/state/subscriptions/switches.ts',
    'if (busy.has(topicId)) return;',
    '',
    'notifications/settings',
  ],
  ['src/api/idempotency.ts', 'wishes.get(name) ?? {', '{', 'topics/send'],
  ['src/state/messages.ts', 'if (author !== claims.value?.id) drafts.clear();', '', 'topics/send'],
  ['src/screens/lists/pages.ts', 'wanted.page > last', 'false', 'screens/topics'],
  ['src/screens/lists/load.ts', 'current = false;', '', 'screens/topics'],
  ['src/screens/users/filters.ts', '(!role || row.role === role)', 'true', 'screens/users'],
  ['src/ui/Email.tsx', "|| typeof children !== 'string'", '', 'screens/garbage screens/users'],
  ['src/ui/form.tsx', 'name === about', 'true', 'screens/auth'],
  [
    'src/shared/push-message.ts',
    'You have a new message.',
    'You have new messages.',
    'push-message',
  ],
  ['sw/receive.ts', '...(shown.tag !== undefined && { tag: shown.tag }),', '', 'sw/receive'],
  ['sw/open.ts', 'if (!(await ask(focused, target)) &&', 'if (', 'sw/open'],
  [
    'server/accounts/login-limits.ts',
    'max: 10, windowMilliseconds',
    'max: 1000, windowMilliseconds',
    'accounts/login',
  ],
  ['server/http/session.ts', "algorithms: ['HS256'],", '', 'accounts/login'],
  [
    'server/http/session.ts',
    'user?.session_version !== said.v ||',
    'user === undefined ||',
    'accounts/login',
  ],
  [
    'server/accounts/one-time-tokens.ts',
    "'password-reset': HOUR",
    "'password-reset': 100 * HOUR",
    'accounts/mailed',
  ],
  [
    'server/accounts/users.ts',
    'if (other === undefined) throw conflict(refusal);',
    '',
    'accounts/users',
  ],
  ['server/http/route.ts', "access === 'admin' && user.role !== 'ADMIN'", 'false', 'http/access'],
  ['server/http/address.ts', 'while (isTrusted(address, trusted))', 'while (true)', 'http/address'],
  [
    'server/db/outbox/standing.ts',
    'row.named !== 1 && row.reachingTopic === null',
    'false',
    'server/delivery',
  ],
  [
    'server/delivery/queue/backoff.ts',
    'Math.min(at, now + MAX_RETRY_AFTER)',
    'at',
    'server/delivery',
  ],
  ['server/delivery/https/address-guard.ts', "'127.0.0.0/8',", '', 'https/address'],
  [
    'server/messages/send.ts',
    'before.fingerprint === fingerprintOf(sending)',
    'true',
    'server/messages',
  ],
  [
    'server/messages/writing.ts',
    'written_to: written.writtenTo,',
    'written_to: message.written_to,',
    'messages/writing',
  ],
];

const wanted = process.argv.slice(2);
const chosen = BREAKS.filter(
  ([file]) => !wanted.length || wanted.some((part) => file.includes(part)),
);
const copy = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-mutations-'));
const missed = [];
try {
  for (const { name } of await fs.readdir(root, { withFileTypes: true })) {
    if (['node_modules', 'dist', '.dist-builds', 'data', '.git'].includes(name)) continue;
    await fs.cp(path.join(root, name), path.join(copy, name), {
      recursive: true,
      filter: (file) => !file.includes('node_modules'),
    });
  }
  await fs.symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  for (const one of chosen) await plant(one);
} finally {
  await fs.rm(copy, { recursive: true, force: true });
}
console.log(`\n${chosen.length - missed.length} caught, ${missed.length} missed`);
process.exitCode = chosen.length - missed.length < chosen.length * SHARE ? 1 : 0;

/** @param {string[]} one as in `BREAKS` */
async function plant([file, there, instead, tests]) {
  const whole = await fs.readFile(path.join(copy, file), 'utf8');
  const label = `${file}: ${there} → ${instead || '(nothing)'}`;
  if (!whole.includes(there))
    throw new Error(`${label}: that is not there any more. Choose another break.`);
  await fs.writeFile(
    path.join(copy, file),
    whole.replace(there, () => instead),
  );
  const { status, stdout } = spawnSync(process.execPath, ['test/run.mjs', ...tests.split(' ')], {
    cwd: copy,
    encoding: 'utf8',
  });
  await fs.writeFile(path.join(copy, file), whole);
  const by =
    /FAIL\s+(.+)/.exec(stdout)?.[1] ?? /^FAILED.*|^The tests of .* ended.*/m.exec(stdout)?.[0];
  if (status === 0 || !by) missed.push(label);
  console.log(
    status === 0 || !by
      ? `MISSED ${label}${by === undefined && status !== 0 ? ' (the tests did not run)' : ''}`
      : `caught ${label}\n       by ${by}`,
  );
}
