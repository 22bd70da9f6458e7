import type { KyselyPlugin, RootOperationNode } from 'kysely';
import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import { eventually } from '../../../support/eventually';
import { onPostgres } from '../../../support/database/database';
import { useUpLimit } from '../../../support/server/rate-limits';
import { serverSuite } from '../../../support/server/server';

let statements: RootOperationNode[] = [];
const deletions = new WeakSet<object>();
/** Runs just after a transaction deleted something. */
let afterDeletion = async (): Promise<void> => undefined;
const plugin: KyselyPlugin = {
  transformQuery: ({ node, queryId }) => {
    statements.push(node);
    if (node.kind === 'DeleteQueryNode') deletions.add(queryId);
    return node;
  },
  transformResult: async ({ result, queryId }) => {
    if (deletions.has(queryId)) await afterDeletion();
    return result;
  },
};

const { test, server } = serverSuite('mailed links', { plugin });
const HOUR_MS = 60 * 60 * 1000;
const EMAIL = 'ana@mail.example';

test.before.each(async () => {
  afterDeletion = async () => undefined;
  await server.createPerson('CUSTOMER', { username: 'ana', email: EMAIL });
});

type Request = 'POST /api/auth/request-password-reset' | 'POST /api/auth/resend-verification';
/** @returns the tokens mailed by this request */
async function requestMail(
  endpoint: Request,
  email: string,
  headers: Record<string, string> = {},
): Promise<string[]> {
  const earlierCount = server.mails.length;
  const { status } = await server.call(endpoint, { body: { email }, headers });
  assert.is(status, 200);
  await server.sendMails();
  return server.mails.slice(earlierCount).map(({ link }) => link.split('/').at(-1) ?? '');
}
const reset = (token: string, password = 'a new password') => server.resetPassword(token, password);
const verify = (token: string) =>
  server.call('GET /api/auth/verify-email/:token', { params: { token } });

test('sets a new password once with a reset link', async () => {
  const [token = ''] = await requestMail(
    'POST /api/auth/request-password-reset',
    'ANA@mail.example',
  );
  assert.is((await reset(token)).body.message, 'Password reset! You can now log in.');
  assert.is((await server.signIn('ana', 'a new password')).status, 200);
  assert.equal(
    await reset(token, 'another password').then(({ status, error }) => [status, error]),
    [400, 'Invalid or expired password reset link.'],
  );
});

test('treats an email as verified after a password reset by mail', async () => {
  const [token = ''] = await requestMail('POST /api/auth/request-password-reset', EMAIL);
  assert.is((await reset(token)).status, 200);
  assert.equal(await requestMail('POST /api/auth/resend-verification', EMAIL), []);
});

test('expires a reset link after an hour, with the next link, and after one use', async () => {
  const [first = ''] = await requestMail('POST /api/auth/request-password-reset', EMAIL);
  const [second = ''] = await requestMail('POST /api/auth/request-password-reset', EMAIL);
  assert.is((await reset(first)).status, 400);
  server.clock.now += HOUR_MS;
  assert.is((await reset(second)).status, 400);
  const [third = ''] = await requestMail('POST /api/auth/request-password-reset', EMAIL);
  const responses = await Promise.all([reset(third), reset(third)]);
  assert.equal(responses.map(({ status }) => status).sort(), [200, 400]);
});

test('applies the password rules to a reset, and keeps the link usable', async () => {
  const [token = ''] = await requestMail('POST /api/auth/request-password-reset', EMAIL);
  assert.is((await reset(token, 'short')).status, 400);
  assert.is((await reset(token)).status, 200);
});

test('links to PUBLIC_URL, whatever Host the request names', async () => {
  await requestMail('POST /api/auth/request-password-reset', EMAIL, {
    Host: 'evil.example',
    'X-Forwarded-Host': 'evil.example',
  });
  assert.match(server.mails[0]?.text ?? '', /https:\/\/bell\.example\/reset-password\/[\w-]{43}\n/);
  assert.not.match(server.mails[0]?.text ?? '', /evil/);
});

test('sends a mailbox at most three reset emails an hour, with the same response', async () => {
  const mailed = [];
  for (let time = 0; time < 6; time += 1)
    mailed.push(...(await requestMail('POST /api/auth/request-password-reset', EMAIL)));
  assert.is(mailed.length, 3);
  server.clock.now += HOUR_MS;
  assert.is((await requestMail('POST /api/auth/request-password-reset', EMAIL)).length, 1);
});

test('limits mail requests per address and hour, without affecting other addresses', async () => {
  await useUpLimit(
    299,
    { key: ['mail-address', '198.51.100.7'], max: 300, windowMs: HOUR_MS },
    server.services,
  );
  const statuses = [];
  for (const [endpoint, from] of [
    ['POST /api/auth/request-password-reset', '198.51.100.7'],
    ['POST /api/auth/request-password-reset', '198.51.100.7'],
    ['POST /api/auth/resend-verification', '198.51.100.7'],
    ['POST /api/auth/resend-verification', '198.51.100.8'],
  ] as const) {
    const { status, headers } = await server.call(endpoint, {
      body: { email: 'unknown@mail.example' },
      from,
    });
    statuses.push(status);
    if (status === 429) assert.is(headers.get('retry-after'), '12');
  }
  assert.equal(statuses, [200, 429, 429, 200]);
});

test('does not reveal whether an account exists', async () => {
  for (const endpoint of [
    'POST /api/auth/request-password-reset',
    'POST /api/auth/resend-verification',
  ] as const) {
    const knownResponse = await server.call(endpoint, { body: { email: EMAIL } });
    const unknown = await server.call(endpoint, { body: { email: 'unknown@mail.example' } });
    assert.equal([unknown.status, unknown.body], [knownResponse.status, knownResponse.body]);
  }
  await server.sendMails();
  assert.equal(
    server.mails.map(({ to }) => to),
    [EMAIL, EMAIL],
  );
});

test('runs the same statements for known and unknown emails', async () => {
  const { db } = server.services;
  server.services.wakeMail = () => undefined;
  const follow = async (endpoint: Request, email: string) => {
    statements = [];
    for (let time = 0; time < 4; time += 1) await server.call(endpoint, { body: { email } });
    const texts = statements.map(
      (node) => db.getExecutor().compileQuery(node, { queryId: 'followed' }).sql,
    );
    const jobs = await db.selectFrom('jobs').select(['kind', 'generation', 'attempts']).execute();
    await db.deleteFrom('jobs').execute();
    return { texts, jobs };
  };
  for (const endpoint of [
    'POST /api/auth/request-password-reset',
    'POST /api/auth/resend-verification',
  ] as const) {
    const knownOutcome = await follow(endpoint, EMAIL);
    assert.equal(await follow(endpoint, 'unknown@mail.example'), knownOutcome);
    assert.equal(
      knownOutcome.jobs.map(({ generation }) => generation),
      [2],
      'one row, asked for three times',
    );
  }
});

test('starts the work for a known account after the response', async () => {
  await server.requestPasswordReset(EMAIL);
  assert.is(
    (await server.services.db.selectFrom('one_time_tokens').select('id').execute()).length,
    0,
  );
  await server.sendMails();
  assert.is(server.mails.length, 1);
});

test('accepts a verification link once within three days, and sends a new one on request', async () => {
  const [first = ''] = await requestMail('POST /api/auth/resend-verification', EMAIL);
  server.clock.now += 72 * HOUR_MS;
  assert.equal(await verify(first).then(({ status, error }) => [status, error]), [
    400,
    'Invalid or expired verification link.',
  ]);
  const [second = ''] = await requestMail('POST /api/auth/resend-verification', EMAIL);
  assert.is((await verify(second)).body.message, 'Email verified! You can now log in.');
  assert.is((await verify(second)).status, 400);
  assert.equal(
    await requestMail('POST /api/auth/resend-verification', EMAIL),
    [],
    'nothing is left to verify',
  );
});

test('leaves one working link after several reset mails at once', async () => {
  await Promise.all([1, 2, 3].map(() => server.requestPasswordReset(EMAIL)));
  await server.sendMails();
  // Requests that came before the first mail began are answered by that mail.
  assert.ok(server.mails.length >= 1 && server.mails.length <= 3, String(server.mails.length));
  assert.is(
    (await server.services.db.selectFrom('one_time_tokens').select('id').execute()).length,
    1,
  );
  const statuses = [];
  for (const { link } of server.mails)
    statuses.push((await reset(link.split('/').at(-1) ?? '')).status);
  assert.equal(statuses.sort(), [200, ...Array(server.mails.length - 1).fill(400)]);
});

/**
 * Blocks uses of a link until all attempts have arrived or were rejected. Otherwise the first one
 * through would invalidate it.
 */
function holdUses(attempts: number): { settled: () => void } {
  const { db } = server.services;
  const begin = db.transaction.bind(db);
  let release: () => void;
  const allThere = new Promise<void>((resolve) => (release = resolve));
  let count = 0;
  const settled = (): void => {
    count += 1;
    if (count === attempts) release();
  };
  db.transaction = () => {
    const builder = begin();
    const { execute } = builder;
    const stack = new Error().stack ?? '';
    if (!stack.includes('resetPassword') || stack.includes('consumeLimit')) return builder;
    builder.execute = async (work) => {
      settled();
      await allThere;
      return execute.call(builder, work) as never;
    };
    return builder;
  };
  return { settled };
}

test('checks a reset link five times at once at most', async () => {
  const [token = ''] = await requestMail('POST /api/auth/request-password-reset', EMAIL);
  const uses = holdUses(12);
  const results = await Promise.all(
    Array.from({ length: 12 }, () => reset(token).finally(uses.settled)),
  );
  assert.equal(results.map(({ status }) => status).sort(), [
    200,
    ...Array(4).fill(400),
    ...Array(7).fill(429),
  ]);
});

test('rejects a link of another purpose', async () => {
  const [token = ''] = await requestMail('POST /api/auth/resend-verification', EMAIL);
  assert.is((await reset(token)).status, 400);
  assert.is(
    (await server.completeRegistration(token, 'a new password', 'x@mail.example')).status,
    400,
  );
  const [resetToken = ''] = await requestMail('POST /api/auth/request-password-reset', EMAIL);
  assert.is((await verify(resetToken)).status, 400);
  assert.equal([(await verify(token)).status, (await reset(resetToken)).status], [200, 200]);
});

/** Only an engine with several writers can run two requests at once. */
if (onPostgres) {
  test('deletes an account after its link is used, when both happen at once', async () => {
    const { db } = server.services;
    const admin = await server.createPerson('ADMIN');
    const uses = [
      ['POST /api/auth/request-password-reset', reset],
      ['POST /api/auth/resend-verification', verify],
    ] as const;
    for (const [index, [endpoint, use]] of uses.entries()) {
      const email = `ben${index}@mail.example`;
      const { id } = await server.createPerson('CUSTOMER', { username: `ben${index}`, email });
      const [token = ''] = await requestMail(endpoint, email);
      let deleting: Promise<{ status: number }> | undefined;
      afterDeletion = async () => {
        if (deleting !== undefined) return;
        deleting = server.deleteUser(admin, id);
        const waiting = sql`select 1 from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`;
        await eventually(
          async () => (await waiting.execute(db)).rows.length > 0,
          'the deletion to wait',
        );
      };
      const statuses = [(await use(token)).status, (await deleting)?.status];
      assert.equal(statuses, [200, 200], endpoint);
    }
  });
}

test.run();
