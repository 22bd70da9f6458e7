import * as assert from 'uvu/assert';
import type { Imported } from '../../../src/shared/contract';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('large imports');
let admin: Person;
test.before.each(async () => {
  admin = await server.createPerson('ADMIN', { username: 'ada' });
});

async function send(
  file: string,
  query = '',
): Promise<{ status: number; body: Imported & { error?: string } }> {
  const response = await server.request(`/api/admin/import?${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${admin.token}`, 'Content-Type': 'text/csv' },
    body: file,
  });
  return { status: response.status, body: await response.json() };
}
const CSV_HEADING = 'username,email,role,topics';
const goodLine = (index: number): string =>
  `u${index},u${index}@northgrid.example,technician,${index % 3 === 0 ? '"Grid outages;\r\nSafety"' : 'Safety'}`;

/** Lines as written, and a part of the sentence that names the fault. */
const FAULTY_LINES: [line: string, sentence: string][] = [
  [',f1@northgrid.example,technician,', 'Username is required.'],
  ['"  ",,technician,Safety', 'Username is required.'],
  ['"",f3@northgrid.example,,', 'Username is required.'],
  [`${'x'.repeat(65)},,,`, '64 characters or fewer'],
  ['"two\nlines",,,', 'Username must be a single line.'],
  ['"a\ttab",,,', 'Username must be a single line.'],
  ['bell\u0007,,,', 'control characters'],
  ['escape\u001b[31m,,,', 'control characters'],
  ['half" a quote,,,', 'must not contain a quotation mark'],
  ['"quoted" not,,,', 'must not contain a quotation mark'],
  ['f11,no address,,', 'valid email'],
  ['f12,@northgrid.example,,', 'valid email'],
  ['f13,f13@,,', 'valid email'],
  ['f14,f 14@northgrid.example,,', 'valid email'],
  ['f15,f15@northgrid,,', 'valid email'],
  ['f16,f16@northgrid.example f@x.example,,', 'valid email'],
  [`f17,${'f'.repeat(250)}@x.example,,`, '254 characters or fewer'],
  ['f18,"f18@northgrid.example\n",,x', '“x” does not exist'],
  ['f19,mailto:f19@northgrid.example,,', 'valid email'],
  ['f20,U20@NORTHGRID.example,,', 'on line'],
  ['f21,ada@mail.example,,', 'Another user has'],
  ['f22,,techncian,', 'is not a role'],
  ['f23,,Techniker,', 'is not a role'],
  ['f24,,"admin,technician",', 'is not a role'],
  ['f25,,constructor,', 'is not a role'],
  ['f26,,1,', 'is not a role'],
  ['f27,,,Grid outage', 'Did you mean “Grid outages”?'],
  ['f28,,,Saftey', 'Did you mean “Safety”?'],
  ['f29,,,Safety;Nothing of ours', 'does not exist'],
  ['f30,,,Safety|Grid outages', 'does not exist'],
  ['f31,,,Twice', '“Twice” matches 2 topics.'],
  ['f32,,,__proto__', 'does not exist'],
  ['f33,,technician,Safety,more', '5 cells'],
  ['f34,,technician,Storms, floods', '5 cells'],
  ['f35;;technician;Safety,,x,,', '“x” is not a role'],
  ['u36,,technician,', 'on line'],
  ['U37,,technician,', 'on line'],
  ['taken,,customer,', 'exists as a technician'],
  ['taken2,other@northgrid.example,,', 'exists with a different email'],
  ['bare,bare@northgrid.example,,', 'exists with no email'],
];

async function prepare(): Promise<void> {
  for (const title of ['Grid outages', 'Safety', 'Twice', 'Twice']) await server.createTopic(title);
  await server.createPerson('CUSTOMER', { username: 'holder', email: 'ada@mail.example' });
  await server.createPerson('TECHNICIAN', { username: 'taken' });
  await server.createPerson('CUSTOMER', { username: 'taken2', email: 'taken2@northgrid.example' });
  await server.createPerson('CUSTOMER', { username: 'bare' });
}

test('names exactly the 40 faulty ones of 5,000 lines, each with its fault', async () => {
  assert.is(FAULTY_LINES.length, 40);
  await prepare();
  const lines = Array.from({ length: 5000 - FAULTY_LINES.length }, (_, index) => goodLine(index));
  // The later one of two duplicate lines is named.
  for (const [index, [line]] of FAULTY_LINES.entries()) lines.splice(200 + index * 119, 0, line);
  let lineNumber = 2;
  const expected = lines.flatMap((line) => {
    const fault = FAULTY_LINES.find(([one]) => one === line);
    const begins = lineNumber;
    lineNumber += 1 + (line.match(/\r\n|\n/g)?.length ?? 0);
    return fault ? [[begins, fault[1]] as const] : [];
  });
  const { status, body } = await send([CSV_HEADING, ...lines].join('\r\n'));
  assert.is(status, 400);
  assert.is(body.rows, 5000);
  assert.equal(
    body.errors.map(({ line }) => line),
    expected.map(([line]) => line),
  );
  for (const [index, { message }] of body.errors.entries())
    assert.ok(message.includes(expected[index]?.[1] ?? 'nothing'), `${index}: ${message}`);
  const { people } = await server.services.db
    .selectFrom('users')
    .select(({ fn }) => fn.countAll<number>().as('people'))
    .executeTakeFirstOrThrow();
  assert.is(people, 5, 'no one was added');
});

test('accepts 10,000 people and rejects one more', async () => {
  await prepare();
  const lines = Array.from({ length: 10_000 }, (_, index) => `u${index},,,`);
  const rejectedReply = await send(
    [CSV_HEADING, ...lines, '', 'one more,,,'].join('\n'),
    'dryRun=true',
  );
  assert.is(rejectedReply.status, 400);
  assert.match(rejectedReply.body.error ?? '', /more than 10,000 people.*before line 10,003/);
  const largestReply = await send([CSV_HEADING, ...lines, ''].join('\n'), 'dryRun=true');
  assert.equal([largestReply.status, largestReply.body.created], [200, 10_000]);
});

test('limits subscriptions and bytes of a file', async () => {
  const titles = Array.from({ length: 60 }, (_, index) => `t${index}`);
  for (const title of titles) await server.createTopic(title);
  const lines = Array.from({ length: 501 }, (_, index) => `u${index},,,${titles.join(';')}`);
  const { status, body } = await send([CSV_HEADING, ...lines].join('\n'), 'dryRun=true');
  assert.is(status, 400);
  assert.match(body.error ?? '', /more than 30,000 subscriptions.*before line 502/);
  const large = await send(`username\n${' '.repeat(2 * 1024 * 1024)}`);
  assert.is(large.status, 413);
});

test('reports a line with many unknown topics as one error', async () => {
  const unknownTopics = Array.from({ length: 25 }, (_, index) => `none ${index}`).join(';');
  const { body } = await send(`${CSV_HEADING}\na,,,${unknownTopics}`, 'dryRun=true');
  assert.is(body.errors.length, 1);
  const message = body.errors[0]?.message ?? '';
  assert.match(message, 'The topic “none 19” does not exist.');
  assert.not.match(message, 'none 20');
  assert.match(message, /5 more topics could not be identified\.$/);
  const distinctTopics = Array.from({ length: 200_000 }, (_, index) => index.toString(36)).join(
    ';',
  );
  const rejectedResponse = await send(`${CSV_HEADING}\na,,,"${distinctTopics}"`, 'dryRun=true');
  assert.is(rejectedResponse.status, 400);
  assert.match(rejectedResponse.body.error ?? '', /more than 30,000 subscriptions.*before line 2/);
});

test('limits lines of a file, including empty ones', async () => {
  const largestReply = await send(`username\nada\n${'\n'.repeat(99_998)}`, 'dryRun=true');
  assert.is(largestReply.status, 200);
  const rejectedReply = await send(`username\nada\n${'\n'.repeat(100_000)}`, 'dryRun=true');
  assert.is(rejectedReply.status, 400);
  assert.match(rejectedReply.body.error ?? '', 'more than 100,000 lines');
});

test('processes one file at a time, and rejects more than can wait', async () => {
  const lines = Array.from({ length: 2000 }, (_, index) => `new ${index}`);
  const file = ['username', ...lines].join('\n');
  const responses = await Promise.all(Array.from({ length: 30 }, () => send(file, 'dryRun=true')));
  const acceptedReplies = responses.filter(({ status }) => status === 200);
  const rejectedReplies = responses.filter(({ status }) => status === 429);
  assert.is(acceptedReplies.length + rejectedReplies.length, 30);
  assert.ok(
    acceptedReplies.length >= 6 && rejectedReplies.length > 0,
    String(acceptedReplies.length),
  );
  assert.is((await send(file, 'dryRun=true')).status, 200);
});

test.run();
