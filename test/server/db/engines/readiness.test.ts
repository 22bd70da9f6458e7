import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DatabaseUnavailableError } from '../../../../server/db/errors';
import { retryUntilReachable } from '../../../../server/db/engines/readiness';

const test = suite('waiting for the database');
const createError = (code: string, message = 'reason'): Error =>
  Object.assign(new Error(message), { code });

/** Work that fails with each error in turn, then succeeds. */
function failInTurn(errors: unknown[]) {
  const waits: number[] = [];
  const reported: unknown[] = [];
  const remainingErrors = [...errors];
  const work = async (): Promise<string> => {
    const error = remainingErrors.shift();
    if (error !== undefined) throw error;
    return 'done';
  };
  const result = retryUntilReachable(work, {
    onWait: (error) => reported.push(error),
    pause: async (milliseconds) => waits.push(milliseconds),
  });
  return { result, waits, reported };
}

test('waits for the database for ever, with growing pauses up to five seconds', async () => {
  const errors = [
    ...Array.from({ length: 500 }, () => new DatabaseUnavailableError(createError('ECONNREFUSED'))),
    createError('57P03'),
    createError('53300'),
    createError('25006'),
    createError('SQLITE_BUSY'),
  ];
  const { result, waits, reported } = failInTurn(errors);
  assert.is(await result, 'done');
  assert.equal(waits.slice(0, 7), [250, 500, 1000, 2000, 4000, 5000, 5000]);
  assert.equal([waits.length, Math.max(...waits)], [504, 5000]);
  assert.equal(reported, errors);
});

test("stops at once on errors that waiting can't fix", async () => {
  const hopeless = [
    createError('28P01'),
    createError('28000'),
    createError('3D000'),
    createError('42501'),
    new DatabaseUnavailableError(createError('CERT_HAS_EXPIRED')),
    new DatabaseUnavailableError(createError('SELF_SIGNED_CERT_IN_CHAIN')),
    new DatabaseUnavailableError(
      new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
    ),
    new DatabaseUnavailableError(new Error('The server does not support SSL connections')),
    createError('SQLITE_CANTOPEN'),
    createError('SQLITE_NOTADB'),
    createError('42P01'),
    new TypeError('a bug of ours'),
  ];
  for (const error of hopeless) {
    const { result, waits } = failInTurn([error]);
    assert.is(await result.catch((thrown: unknown) => thrown), error);
    assert.equal(waits, []);
  }
});

test.run();
