import * as assert from 'uvu/assert';
import { MAX_REPEATED_ENTRIES } from '../../../server/audit/counts';
import { deleteOldData } from '../../../server/operations/delete-old-data';
import { readAuditLines, writeAuditEntries } from '../../support/server/audit';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('frequent actions');

const HOUR_MS = 60 * 60 * 1000;
let ana: Person;
test.before.each(async () => {
  ana = await server.createPerson('ADMIN', { username: 'ana' });
});

const deleteOld = () =>
  deleteOldData(server.services.db, server.clock.now, new AbortController().signal);
const signOut = (person: Person) =>
  writeAuditEntries(
    server,
    { action: 'account.signout', person: person.id },
    { by: { person: person.id } },
  );

test('counts what a person repeats within an hour, and records the rest in one entry', async () => {
  const ben = await server.createPerson('TECHNICIAN', { username: 'ben' });
  const since = new Date(server.clock.now).toISOString().slice(0, 16).replace('T', ' ');
  for (let times = 0; times < MAX_REPEATED_ENTRIES + 12; times += 1) await signOut(ben);
  await deleteOld();
  assert.is((await readAuditLines(server, ana)).length, MAX_REPEATED_ENTRIES);
  server.clock.now += HOUR_MS;
  await signOut(ben);
  await deleteOld();
  await deleteOld();
  const lines = await readAuditLines(server, ana);
  assert.equal(
    [lines.length, lines[0]],
    [MAX_REPEATED_ENTRIES + 2, `ben account.signout ben: 12 more times since ${since} UTC`],
  );
});

test('records each action of an administrator in its own entry', async () => {
  const entries = Array.from({ length: MAX_REPEATED_ENTRIES + 5 }, (_, index) => `Topic ${index}`);
  for (const on of entries)
    await writeAuditEntries(server, { action: 'topic.add', on }, { by: { person: ana.id } });
  assert.is((await readAuditLines(server, ana)).length, entries.length);
});

test("counts a person's own actions together, whatever their detail", async () => {
  const ben = await server.createPerson('TECHNICIAN', { username: 'ben' });
  for (let times = 0; times < MAX_REPEATED_ENTRIES + 5; times += 1)
    await writeAuditEntries(
      server,
      { action: 'device.remove', person: ben.id, detail: `Phone ${times}` },
      { by: { person: ben.id } },
    );
  assert.is((await readAuditLines(server, ana)).length, MAX_REPEATED_ENTRIES);
});

test.run();
