import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiError } from '../../../src/api/error';
import { postCsv } from '../../../src/api/post-csv';
import { ended } from '../../../src/state/session';
import { fakeApi } from '../../support/app/fake-api';
import { endSession, signInAs } from '../../support/app/session';

const test = suite('a file of people');
const IMPORT = 'POST /api/admin/import';
const DONE = { rows: 1, created: 1, subscribed: 0, unchanged: 0, errors: [], links: [] };

test.before.each(() => {
  fakeApi.install();
  signInAs('ADMIN');
});
test.after.each(() => {
  endSession();
  fakeApi.remove();
});

const refusal = () =>
  postCsv('username', {}, 'Failed.').then(
    () => undefined,
    (error: ApiError) => error,
  );
const answering = (answer: object, status: number, before = () => {}) =>
  fakeApi.respond(IMPORT, () => {
    before();
    return new Response(JSON.stringify(answer), { status });
  });

test('what came of a file of people is answered, its faulty lines too', async () => {
  for (const status of [200, 400]) {
    const answer = { ...DONE, errors: [{ line: 2, message: 'No username.' }] };
    answering(answer, status);
    assert.equal(await postCsv('username', {}, 'Failed.'), answer);
  }
});

test('the links of a file are given to nobody who signed in since', async () => {
  for (const status of [200, 400, 401, 500]) {
    answering(DONE, status, () => void signInAs('ADMIN', { id: status }));
    assert.is((await refusal())?.code, 'stale', String(status));
  }
});

test('a file that is refused says the server’s reason, or else ours', async () => {
  answering({ error: 'Too many lines.' }, 413);
  assert.equal([(await refusal())?.message, (await refusal())?.status], ['Too many lines.', 413]);
  answering({ rows: 'many' }, 200);
  assert.is((await refusal())?.code, 'garbled');
  fakeApi.lose(IMPORT);
  assert.is((await refusal())?.code, 'unreachable');
  answering({ error: 'No.', code: 'signed_out' }, 401);
  assert.is((await refusal())?.status, 401);
  assert.is(ended.value, 'This device was signed out.');
});

test.run();
