import * as assert from 'uvu/assert';
import type { Imported, ImportHeading } from '../../../src/shared/contract';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('import');
let admin: Person;
test.before.each(async () => {
  admin = await server.createPerson('ADMIN', { username: 'ada' });
});

type Outcome = Imported & { error?: string };
async function send(
  file: string | Uint8Array<ArrayBuffer>,
  query = '',
): Promise<{ status: number; body: Outcome }> {
  const response = await server.request(`/api/admin/import?${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${admin.token}`, 'Content-Type': 'text/csv' },
    body: file,
  });
  return { status: response.status, body: await response.json() };
}
async function add(file: string | Uint8Array<ArrayBuffer>, query = ''): Promise<Outcome> {
  const { status, body } = await send(file, query);
  assert.equal([status, body.error, body.errors], [200, undefined, []]);
  return body;
}
const counts = ({ rows, created, subscribed, unchanged }: Outcome) => [
  rows,
  created,
  subscribed,
  unchanged,
];
const listFaults = async (...lines: string[]): Promise<string[]> => {
  const { body } = await send(['username,email,role,topics', ...lines].join('\n'), 'dryRun=true');
  return body.errors.map(({ line, message }) => `${line}: ${message}`);
};
/** Everyone except the administrator, with their topics. */
async function people(): Promise<string[]> {
  const { db } = server.services;
  const rows = await db.selectFrom('users').selectAll().orderBy('id').execute();
  const pairs = await db
    .selectFrom('subscriptions')
    .innerJoin('topics', 'topics.id', 'subscriptions.topic_id')
    .select(['user_id', 'title'])
    .orderBy('title')
    .execute();
  return rows
    .filter(({ id }) => id !== admin.id)
    .map(({ id, username, email, role, status }) =>
      [
        username,
        email,
        role,
        status,
        ...pairs.filter(({ user_id }) => user_id === id).map(({ title }) => title),
      ].join(' '),
    );
}

const CSV_LINES = [
  'username,email,role,topics',
  'm.lopez,m.lopez@northgrid.example,technician,Grid outages;Safety',
  'h.ito,,,',
  'k.lund,K.Lund@northgrid.example,ADMIN, safety ',
  '',
].join('\r\n');

test('adds pending people with their topics, and returns their links in order', async () => {
  for (const title of ['Grid outages', 'Safety']) await server.createTopic(title);
  const body = await add(CSV_LINES);
  assert.equal(counts(body), [3, 3, 3, 0]);
  assert.equal(await people(), [
    'm.lopez m.lopez@northgrid.example TECHNICIAN PENDING Grid outages Safety',
    'h.ito  CUSTOMER PENDING',
    'k.lund K.Lund@northgrid.example ADMIN PENDING Safety',
  ]);
  assert.equal(
    body.links.map(({ username, email, mail, openedAt }) => [username, email, mail, openedAt]),
    [
      ['m.lopez', 'm.lopez@northgrid.example', 'waiting', null],
      ['h.ito', null, 'none', null],
      ['k.lund', 'K.Lund@northgrid.example', 'waiting', null],
    ],
  );
  for (const { registrationLink, username } of body.links) {
    const [, token = ''] = registrationLink.split('/register/');
    assert.ok(registrationLink.startsWith('https://bell.example/register/'));
    const openedResponse = await server.call('GET /api/auth/registration/:token', {
      params: { token },
    });
    assert.is(openedResponse.body.username, username);
  }
});

test('returns the same for a dry run, and changes nothing', async () => {
  for (const title of ['Grid outages', 'Safety']) await server.createTopic(title);
  const body = await add(CSV_LINES, 'dryRun=true');
  assert.equal([counts(body), body.links], [[3, 3, 3, 0], []]);
  assert.equal(await people(), []);
});

test('changes nothing for the same file again', async () => {
  for (const title of ['Grid outages', 'Safety']) await server.createTopic(title);
  const { links } = await add(CSV_LINES);
  const [, token = ''] = links[0]?.registrationLink.split('/register/') ?? [];
  await server.completeRegistration(token, 'four-words-in-a-row', 'm.lopez@northgrid.example');
  const peopleBefore = await people();
  const again = await add(
    CSV_LINES.replace('Grid outages', 'GRID OUTAGES').replace('h.ito', 'H.ITO'),
  );
  assert.equal([counts(again), again.links], [[3, 0, 0, 3], []]);
  assert.equal(await people(), peopleBefore);
});

test('subscribes existing people, whatever their role', async () => {
  const topic = await server.createTopic('Safety');
  const ana = await server.createPerson('TECHNICIAN', {
    username: 'ana',
    email: 'ana@mail.example',
  });
  const body = await add('topics,username\nSafety,ana\nSafety,new\n');
  assert.equal(counts(body), [2, 1, 2, 0]);
  assert.equal(await people(), [
    'ana ana@mail.example TECHNICIAN ACTIVE Safety',
    'new  CUSTOMER PENDING Safety',
  ]);
  const { body: own } = await server.call('GET /api/notifications/my-subscriptions', { as: ana });
  assert.equal(
    own.map((one) => one.topic.id),
    [topic],
  );
});

test('subscribes everyone to the chosen topic, once', async () => {
  const topic = await server.createTopic('Safety');
  const body = await add('username,topics\na,Safety\nb,\n', `topicId=${topic}`);
  assert.equal(counts(body), [2, 2, 2, 0]);
  assert.equal(await people(), ['a  CUSTOMER PENDING Safety', 'b  CUSTOMER PENDING Safety']);
  for (const id of ['999999', 'x', '1e3']) {
    const { status, body: rejection } = await send('username\nc\n', `topicId=${id}`);
    assert.equal([status, rejection.error], [400, 'This topic does not exist.']);
  }
});

test('rejects a file with any error, and lists all errors by line', async () => {
  await server.createTopic('Grid outages');
  const file = 'username,role,topics\nh.ito,,Grid outages\ns.berg,techncian,Grid outage\n';
  const errors = [
    {
      line: 3,
      message:
        '“techncian” is not a role. Use technician, customer or admin. The topic “Grid outage” does not exist. Did you mean “Grid outages”?',
    },
  ];
  const dry = await send(file, 'dryRun=true');
  assert.equal([dry.status, dry.body.errors, dry.body.created], [200, errors, 1]);
  const real = await send(file);
  assert.equal([real.status, real.body.errors, real.body.links], [400, errors, []]);
  assert.is(real.body.error, 'No one was added: 1 line has an error.');
  const twice = await send(`${file}k.lund,boss,\n`);
  assert.is(twice.body.error, 'No one was added: 2 lines have errors.');
  assert.equal(await people(), []);
});

test('explains each faulty line in a sentence', async () => {
  await server.createPerson('TECHNICIAN', { username: 'Ana', email: 'ana@mail.example' });
  await server.createPerson('CUSTOMER', { username: 'bo' });
  for (const title of ['Grid outages', 'Storms, floods', 'Twice', 'Twice'])
    await server.createTopic(title);
  assert.equal(
    await listFaults(
      ',x@mail.example',
      `${'n'.repeat(65)},,`,
      'k"k,,,',
      'a@b,no address,,',
      'ana,,customer,',
      'ana2,ANA@mail.example,,',
      'bo,bo@mail.example,,',
      'new,,,',
      'NEW,,,',
      'c,same@mail.example,,',
      'd,Same@mail.example,,',
      'e,,,Storms, floods',
      'f,,,Twice',
      'g,,,gird outages',
      'h,,,Quite another',
      'i,,boss,',
    ),
    [
      '2: Username is required.',
      '3: Username is too long. Use 64 characters or fewer.',
      '4: The username must not contain a quotation mark.',
      '5: Please enter a valid email address.',
      '6: “ana” already exists as a technician. Change the role in Users.',
      '7: Another user has the email address “ANA@mail.example”.',
      '8: “bo” already exists with no email address. Leave the email empty on this line.',
      '10: “NEW” is already on line 9.',
      '12: “Same@mail.example” is already on line 11.',
      '13: The line has 5 cells, but the first line has 4. Put text that contains “,” in quotes. The topic “Storms” does not exist.',
      '14: “Twice” matches 2 topics. Rename one of them, or use its exact capitalization.',
      '15: The topic “gird outages” does not exist. Did you mean “Grid outages”?',
      '16: The topic “Quite another” does not exist.',
      '17: “boss” is not a role. Use technician, customer or admin.',
    ],
  );
});

test('reads spreadsheets of any usual encoding, separator and language', async () => {
  const titles = ['Störung', 'Storms, floods', 'Safety'];
  for (const title of titles) await server.createTopic(title);
  const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
  const utf16 = (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));
  const files = [
    '\ufeffusername,topics\r\nj.müller,"Störung;Storms, floods;Safety"\r\n',
    'username;topics\r\nj.müller;"Störung;Storms, floods;Safety"\r\n',
    // banned-phrases: a German heading
    latin1(
      'Benutzername;E-Mail-Adresse;THEMEN\r\nj.müller;;"Störung\nStorms, floods\nSafety"\r\n;;\r\n',
    ),
    utf16('username\ttopics\r\nj.müller\tStörung;Storms, floods;Safety\r\n'),
    'sep=;\r\ntopics;username\r\n"störung, safety;Storms, floods";j.müller\r\n',
    'Temas,Correo electrónico,Nombre de usuario\n"Störung;Storms, floods;Safety",,j.müller\n',
    'Rôle;"Nom d\'utilisateur";Thèmes\n;j.müller;"Störung;Storms, floods;Safety"\n',
    'TEMATY\tNazwa użytkownika *\nStörung;Storms, floods;Safety\tj.müller\n',
    'المواضيع;الدور;اسم المستخدم\n"Störung;Storms, floods;Safety";;j.müller\n',
  ];
  for (const [index, file] of files.entries()) {
    const body = await add(file);
    assert.equal(counts(body), index === 0 ? [1, 1, 3, 0] : [1, 0, 0, 1], `file ${index}`);
  }
});

test('rejects other files with a helpful sentence', async () => {
  const rejections: [string | Uint8Array<ArrayBuffer>, RegExp][] = [
    ['', /has no people/],
    ['username,email\n\n\n', /has no people/],
    ['m.lopez,m.lopez@northgrid.example\n', /^The first line must name the columns/],
    ['usrname,email\na,\n', /Unknown column “usrname”. Did you mean “username”\?/],
    [
      'username,phone\na,\n',
      /Unknown column “phone”. Allowed columns: username, email, role, topics, teams./,
    ],
    [
      'username;1;2;3;4;5;6;7;1\na\n',
      /^Unknown columns “1”, “2”, “3”, “4”, “5” and 2 more\. Allowed columns:/,
    ],
    [`username${';x'.repeat(50)}\na\n`, /more than 50 columns/],
    ['email,role\na@b.example,\n', /No column is used for “username”/],
    ['username,role,role\na,,\n', /“role” appears twice/],
    ['username,constructor\na,\n', /Unknown column “constructor”/],
    [new Uint8Array([0x50, 0x4b, 3, 4, 20]), /^This isn’t a CSV file/],
    [new Uint8Array([...Buffer.from('username\n'), 0x81]), /text of this file can’t be read/],
    [new Uint8Array(Buffer.from('username\na\n', 'utf16le')), /text of this file/],
  ];
  for (const [file, sentence] of rejections)
    for (const query of ['', 'dryRun=true']) {
      const { status, body } = await send(file, query);
      assert.is(status, 400);
      assert.match(body.error ?? '', sentence);
      assert.is(body.errors, undefined);
    }
});

test('lists the columns of an invalid first line, and follows the chosen ones', async () => {
  await server.createTopic('Safety');
  const file = 'Kürzel;Gebiet;Mail;Email\nana;Safety;a@mail.example;other\n';
  const columnsOf = async (query = '') => {
    const { status, body } = await send(file, query);
    return [status, (body as Partial<ImportHeading>).columns?.map(({ use }) => use)];
  };
  const { body } = await send(file, 'dryRun=true');
  assert.equal((body as Partial<ImportHeading>).columns, [
    { name: 'Kürzel', use: 'ignore' },
    { name: 'Gebiet', use: 'ignore' },
    { name: 'Mail', use: 'email' },
    { name: 'Email', use: 'ignore' },
  ]);
  const twice = ['username', 'topics', 'email', 'email'];
  assert.equal(await columnsOf(`columns=${twice.join()}`), [400, twice]);
  assert.equal(await columnsOf('columns=username'), [400, ['ignore', 'ignore', 'email', 'ignore']]);
  assert.equal(await columnsOf('columns=username,boss,email,ignore'), [400, undefined]);
  const { body: person } = await send('ana;a@mail.example\n');
  assert.is((person as Partial<ImportHeading>).columns, undefined, 'a person is no heading');
  await add(file, 'columns=username,topics,email,ignore');
  assert.equal(await people(), ['ana a@mail.example CUSTOMER PENDING Safety']);
});

test('adds people once when the same file is imported at the same time', async () => {
  await server.createTopic('Safety');
  const file = 'username,topics\na,Safety\nb,Safety\n';
  const responses = await Promise.all([send(file), send(file), send(file)]);
  assert.equal(responses.map(({ status, body }) => [status, body.created]).sort(), [
    [200, 0],
    [200, 0],
    [200, 2],
  ]);
  assert.equal(await people(), ['a  CUSTOMER PENDING Safety', 'b  CUSTOMER PENDING Safety']);
});

test('names the existing role, and cuts endless texts', async () => {
  await server.createPerson('CUSTOMER', { username: 'cleo' });
  const long = 'x'.repeat(300);
  assert.equal(await listFaults('ada,,customer,', 'cleo,,admin,', `a,,${long},`, `b,,,${long}`), [
    '2: “ada” already exists as an admin. Change the role in Users.',
    '3: “cleo” already exists as a customer. Change the role in Users.',
    `4: “${'x'.repeat(40)}” is not a role. Use technician, customer or admin.`,
    `5: The topic “${'x'.repeat(100)}” does not exist.`,
  ]);
});

test('rejects another content type and a nameless column', async () => {
  const response = await server.request('/api/admin/import', {
    method: 'POST',
    headers: { Authorization: `Bearer ${admin.token}`, 'Content-Type': 'application/json' },
    body: '{}',
  });
  assert.is(response.status, 415);
  const nameless = await send('username,,email\na,,\n');
  assert.match(nameless.body.error ?? '', /^A column in the first line has no name\./);
  await add('username\na\n', 'dryRun=false&topicId=');
  assert.equal(await people(), ['a  CUSTOMER PENDING']);
});

test('adds only what existing people lack', async () => {
  for (const title of ['Grid outages', 'Safety']) await server.createTopic(title);
  for (const username of ['ana', 'ben']) await server.createPerson('TECHNICIAN', { username });
  await add('username,topics\nana,Safety\nben,Grid outages\n');
  const body = await add('username,topics\nana,Safety;Grid outages\nben,Safety\n');
  assert.equal(counts(body), [2, 0, 2, 0]);
  assert.equal(await people(), [
    'ana  TECHNICIAN ACTIVE Grid outages Safety',
    'ben  TECHNICIAN ACTIVE Grid outages Safety',
  ]);
});

test("accepts a person's own email, and rejects another person's", async () => {
  await server.createPerson('TECHNICIAN', { username: 'ana', email: 'ana@mail.example' });
  await server.createPerson('TECHNICIAN', { username: 'ben', email: 'ben@mail.example' });
  assert.equal(await listFaults('ben,BEN@mail.example,,', 'ana,ana@mail.example,technician,'), []);
  assert.equal(await listFaults('ana,ben@mail.example,,', 'new,ana@mail.example,,'), [
    '2: “ana” already exists with a different email address. Leave the email empty on this line. Another user has the email address “ben@mail.example”.',
    '3: Another user has the email address “ana@mail.example”.',
  ]);
});

test('adds people to teams, adds unknown teams, and says so in a dry run', async () => {
  const topic = await server.createTopic('Safety');
  const team = { as: admin, body: { name: 'North crew' } };
  const { body: north } = await server.call('POST /api/admin/teams', team);
  const teamIds = { params: { id: topic }, body: { teamIds: [north.id] } };
  await server.call('POST /api/admin/topics/:id/teams', { as: admin, ...teamIds });
  await server.createPerson('CUSTOMER', { username: 'b' });
  const file = 'username,topics,teams\na,,NORTH crew; East ;east\nb,Safety,North crew\nc,,\n';
  const dry = (await send(file, 'dryRun=true')).body;
  assert.equal([dry.joined, dry.newTeams, dry.subscribed], [3, ['East'], 1]);
  const { body: none } = await server.call('GET /api/admin/teams', { as: admin });
  assert.is(none.total, 1, 'a dry run adds none');
  const added = await add(file);
  assert.equal([added.joined, added.newTeams], [3, ['East']]);
  const { body } = await server.call('GET /api/admin/teams', { as: admin });
  assert.equal(
    body.teams.map(({ name, members }) => [name, members]),
    [
      ['East', 1],
      ['North crew', 2],
    ],
  );
  const rows = await server.services.db
    .selectFrom('subscriptions')
    .innerJoin('users', 'users.id', 'subscriptions.user_id')
    .select(['username', 'by_name'])
    .orderBy('username')
    .execute();
  assert.equal(
    rows.map(({ username, by_name }) => [username, by_name]),
    [
      ['a', 0],
      ['b', 1],
    ],
  );
  assert.equal(counts(await add(file)), [3, 0, 0, 3], 'again, nothing changes');
  const byName = await add('username,topics\na,Safety\n');
  assert.equal(counts(byName), [1, 0, 1, 0], 'also by name what the team gave');
  const long = await send(`username,teams\nd,${'x'.repeat(61)}\n`, 'dryRun=true');
  assert.equal(
    long.body.errors.map(({ message }) => message),
    ['Team is too long. Use 60 characters or fewer.'],
  );
});

test('distinguishes topics that differ only in case', async () => {
  for (const title of ['Storm', 'STORM']) await server.createTopic(title);
  await add('username,topics\na,Storm\nb,STORM\n');
  assert.equal(await people(), ['a  CUSTOMER PENDING Storm', 'b  CUSTOMER PENDING STORM']);
  assert.equal(await listFaults('c,,,storm'), [
    '2: “storm” matches 2 topics. Rename one of them, or use its exact capitalization.',
  ]);
});

test('accepts empty and missing cells at the end of a line', async () => {
  const body = await add('username,email,role,,\na\nb,,,,\nc,,technician,,,,\n\n,,,,\n');
  assert.equal(counts(body), [3, 3, 0, 0]);
  assert.equal(await people(), [
    'a  CUSTOMER PENDING',
    'b  CUSTOMER PENDING',
    'c  TECHNICIAN PENDING',
  ]);
});

test('requests invitation mails for new emails at once', async () => {
  let woken = 0;
  server.services.wakeMail = () => void (woken += 1);
  await add('username,email\na,a@mail.example\nb,\n', 'dryRun=true');
  assert.is(woken, 0);
  await add('username,email\na,a@mail.example\nb,\n');
  assert.is(woken, 1);
  const jobs = await server.services.db.selectFrom('jobs').select(['kind', 'due_at']).execute();
  assert.equal(jobs, [{ kind: 'mail-invitation', due_at: server.clock.now }]);
});

/**
 * Runs `work` just before each transaction of an import.
 * @returns how often
 */
async function runDuring(
  work: (time: number) => Promise<unknown>,
  during: () => Promise<unknown>,
): Promise<number> {
  const { db } = server.services;
  const { transaction } = db;
  let [times, isInside] = [0, false];
  db.transaction = () => {
    const builder = transaction.call(db);
    if (isInside) return builder;
    const { execute } = builder;
    builder.execute = async (write) => {
      times += 1;
      isInside = true;
      await work(times);
      isInside = false;
      return execute.call(builder, write) as never;
    };
    return builder;
  };
  try {
    await during();
  } finally {
    Reflect.deleteProperty(db, 'transaction');
  }
  return times;
}

test('counts a simultaneous subscription as existing, without an audit entry', async () => {
  const { db } = server.services;
  const topic = await server.createTopic('Safety');
  const { id } = await server.createPerson('CUSTOMER', { username: 'a' });
  const subscribe = () =>
    db
      .insertInto('subscriptions')
      .values({ user_id: id, topic_id: topic, created_at: 1 })
      .execute();
  await runDuring(
    async (time) => time === 1 && subscribe(),
    async () =>
      assert.equal(counts(await add('username,topics\na,Safety\nb,Safety\n')), [2, 1, 1, 1]),
  );
  const entries = await db.selectFrom('audit_entries').select(['action', 'target_id']).execute();
  assert.equal(
    entries.filter(({ target_id }) => target_id === id),
    [],
  );
});

test('gives up when others keep changing the same people, and adds no one', async () => {
  const times = await runDuring(
    (time) => server.createPerson('CUSTOMER', { username: `a${time}` }),
    async () => {
      const { status, body } = await send('username\na1\na2\na3\nb\n');
      assert.equal(
        [status, body.error],
        [409, 'Someone else changed the same people at the same time. Please try again.'],
      );
    },
  );
  assert.is(times, 3);
  assert.equal(
    (await people()).map((one) => one.split(' ')[0]),
    ['a1', 'a2', 'a3'],
  );
});

test.run();
