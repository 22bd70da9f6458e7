/** Requests that may take longer than the usual ten seconds. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readExport } from '../../../src/state/account/own-account';
import { downloadRecipients } from '../../../src/state/messages/sent-messages';
import { downloadAudit } from '../../../src/state/setup/audit';
import { importPeople, checkImport } from '../../../src/state/users/importing';
import { fakeApi } from '../../support/app/fake-api';
import { recordTimeouts } from '../../support/app/request-timeouts';

const test = suite('answers that take long');
test.before.each(() => fakeApi.install());
test.after.each(() => fakeApi.remove());

const LEAST_MS = 60_000;
const imported = { rows: 0, created: 0, subscribed: 0, unchanged: 0, errors: [], links: [] };
const file = { text: 'a', topicId: '', columns: undefined, language: '' } as const;

for (const [what, endpoint, body, ask] of [
  ['all that is kept on a person', 'GET /api/account/export', { account: { id: 7 } }, readExport],
  [
    'the people of a message',
    'GET /api/admin/messages/:id/recipients.csv',
    '',
    () => downloadRecipients('admin', 'm1', ''),
  ],
  [
    'the audit log',
    'GET /api/admin/audit.csv',
    '',
    () => downloadAudit('', { area: '', days: '' }),
  ],
  ['the check of a file of people', 'POST /api/admin/import', imported, () => checkImport(file)],
  ['the import of a file of people', 'POST /api/admin/import', imported, () => importPeople(file)],
] as const)
  test(`waits a minute for ${what}`, async () => {
    fakeApi.respond(endpoint, () => Response.json(body));
    const [limit = 0, ...others] = await recordTimeouts(ask);
    assert.equal([limit >= LEAST_MS, others], [true, []], `${limit} ms`);
  });

test.run();
