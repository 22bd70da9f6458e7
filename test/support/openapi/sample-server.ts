/**
 * The people, topics and devices of the OpenAPI document's examples. They are created in the order
 * of `samples.ts`, so their ids match; `replaceSampleIds` replaces random values (tokens, keys).
 */
import type { KyselyPlugin } from 'kysely';
import * as assert from 'uvu/assert';
import type { ResponseOf, Endpoint } from '../../../src/shared/contract';
import type { UserRow } from '../../../server/db/schema';
import { sealHandover } from '../../../server/accounts/company/handover';
import { sha256 } from '../../../server/lib/sha256';
import { createSignInChallenge } from '../../../server/accounts/two-factor/challenge';
import { beginTotpSetUp } from '../../../server/accounts/two-factor/set-up';
import { createSession } from '../../../server/http/access/session';
import { hashTopicKey, generateTopicKey } from '../../../server/http/access/topic-key';
import { sampleSecrets } from '../../../src/shared/contract/secrets';
import type { Operation } from '../../../server/openapi/document';
import * as sample from './samples';
import { createPasskeyHelpers } from '../server/passkeys';
import { authenticatorCode, addAuthenticatorApp } from '../server/two-factor';
import { createServer } from '../server/server';
import type { CallOptions, Person, TestServer } from '../server/server';

export interface SampleServer {
  server: TestServer;
  admin: UserRow;
  replaceSampleIds(text: string): string;
  /** The authorization header, in a new session each time. */
  authorize(operation: Operation): Promise<string | undefined>;
}

const { password } = sampleSecrets;

export async function createSampleServer(plugin?: KyselyPlugin): Promise<SampleServer> {
  const server = await createServer({
    environment: { ADMIN_TOTP: 'optional', PASSKEYS: 'true' },
    ...(plugin && { plugin }),
  });
  const { services } = server;
  const ask = asking(server);
  // Examples call no webhook.
  const response = { kind: 'responded', status: 200, retryAfter: undefined, body: '' } as const;
  services.webhookCaller = { ...services.webhookCaller, call: async () => response };
  const createPerson = ({ role, username, email }: typeof sample.sampleAdmin): Promise<Person> =>
    server.createPerson(role, { username, password, ...(email && { email }) });
  const as = await createPerson(sample.sampleAdmin);
  const technician = await createPerson(sample.sampleTechnician);

  const tokens = await createLinks(server, as);
  for (const { title, description } of [sample.sampleStormTopic, sample.sampleOutageTopic])
    await ask('POST /api/admin/topics', { as, body: { title, description } });
  await ask('POST /api/admin/teams', { as, body: { name: 'North crew' } });
  await ask('POST /api/admin/teams', { as, body: { name: 'On call' } });
  const pair = { userId: sample.sampleTechnician.id, topicId: sample.sampleStormTopic.id };
  await ask('POST /api/admin/subscriptions', { as, body: pair });
  const device = await ask('POST /api/notifications/register-device', {
    as: technician,
    body: sample.sampleRegistration,
  });
  await ask('POST /api/notifications/register-device', {
    as,
    body: {
      ...sample.sampleRegistration,
      deviceToken: 'another-device',
      installationId: 'another',
    },
  });
  await ask('POST /api/admin/policies', { as, body: sample.samplePolicy });
  const { id: _, title, link, ...template } = sample.sampleTemplate;
  await ask('PUT /api/admin/check-ins/settings', {
    as,
    body: { enabled: true, graceMinutes: 5, alarmTopicId: pair.topicId, policyId: null },
  });
  await ask('POST /api/check-ins', { as: technician, body: { minutes: 60 } });
  await ask('POST /api/admin/templates', {
    as,
    body: { ...template, ...(title && { title }), ...(link && { link }) },
  });
  await ask('POST /api/admin/webhooks', {
    as,
    body: { url: 'https://sms.example/bell', events: ['message.escalated'] },
  });
  const sentResult = await ask('POST /api/admin/messages', {
    as,
    body: {
      topicIds: [pair.topicId],
      message: sample.sampleSentMessage.message,
      answers: sample.sampleSentMessage.answers,
    },
  });
  await services.db
    .insertInto('topic_senders')
    .values({ topic_id: pair.topicId, user_id: technician.id })
    .execute();
  const [ownResult, withheldResult] = [
    await ask('POST /api/sending/messages', {
      as: technician,
      body: { topicIds: [pair.topicId], message: 'Meet at gate 2.', answers: ['Got it'] },
    }),
    await ask('POST /api/sending/messages', {
      as: technician,
      body: {
        topicIds: [pair.topicId],
        message: 'Meet at gate 3.',
        sendAt: new Date(server.clock.now + 60_000).toISOString(),
      },
    }),
  ];
  await services.db
    .updateTable('messages')
    .set({ withheld: 'no-sender' })
    .where('id', '=', withheldResult.messageId)
    .execute();
  const triedTest = await ask('POST /api/notifications/tests', {
    as: technician,
    body: { deviceId: device.id },
  });
  const key = generateTopicKey();
  await services.db
    .insertInto('topic_keys')
    .values({
      topic_id: sample.sampleStormTopic.id,
      name: 'sample',
      prefix: key.slice(0, 8),
      hash: hashTopicKey(key),
      created_at: server.clock.now,
    })
    .execute();
  assert.is(device.id, sample.sampleDevice.id, 'examples are about the device that was made first');

  const inPlaceOf = new Map([
    [sampleSecrets.registration, tokens.registration],
    [sampleSecrets.reset, tokens.reset],
    [sampleSecrets.verification, tokens.verification],
    [sampleSecrets.phone, await createPhoneLink(server)],
    [sample.sampleSentMessage.id, sentResult.messageId],
    [sample.sampleOwnMessageId, ownResult.messageId],
    [sample.sampleWithheldMessageId, withheldResult.messageId],
    [sample.sampleDeviceTest.id, triedTest.id],
    ...(await twoFactorCalls(server, as)),
    ...(await passkeyCalls(server, technician)),
  ]);
  const rowOf = (id: number): Promise<UserRow> =>
    services.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return {
    server,
    admin: await rowOf(as.id),
    replaceSampleIds: (text) =>
      [...inPlaceOf].reduce((whole, [example, one]) => whole.replaceAll(example, one), text),
    async authorize(operation) {
      const [way] = operation.security;
      if (way === undefined) return undefined;
      if (way.topicKey !== undefined) return `Bearer ${key}`;
      if (way.login === undefined) return `Bearer ${device.deviceKey}`;
      // This account is separate, because its changes would disturb the next example.
      const isOwn = operation.tags.includes('Account') || operation.summary === 'Start a check-in';
      const person = isOwn
        ? await server.createPerson('TECHNICIAN', { password })
        : way.login.includes('ADMIN')
          ? as
          : technician;
      return `Bearer ${await createSession(await rowOf(person.id), services)}`;
    },
  };
}

async function createPhoneLink(server: TestServer): Promise<string> {
  const as = await server.createPerson('TECHNICIAN');
  const { body } = await server.call('POST /api/account/phone-link', { as });
  return body.link.split('#')[1] ?? '';
}

/** The examples of passkeys need one that signs in, one that is added, and one that is removed. */
async function passkeyCalls(server: TestServer, as: Person): Promise<[string, string][]> {
  const keys = createPasskeyHelpers(server, password);
  const [used, removed] = [await keys.addPasskeyTo(as), await keys.addPasskeyTo(as)];
  const { signature, authenticatorData, userHandle, clientDataJSON } = used.usePasskey(
    await keys.beginSignIn(),
  );
  const made = keys.authenticator();
  const sent = made.createPasskey((await keys.beginAdding(as)).body);
  const { passkey } = sampleSecrets;
  return [
    [passkey.row, removed.row.id],
    [passkey.id, used.id],
    [passkey.newId, made.id],
    [passkey.madeClientData, sent.clientDataJSON],
    [passkey.attestation, sent.attestationObject],
    [passkey.usedClientData, clientDataJSON],
    [passkey.authenticatorData, authenticatorData],
    [passkey.signature, signature],
    [passkey.userHandle, userHandle ?? ''],
  ];
}

/** This version is right while role and password never changed. */
const FIRST_VERSION = 1;

/** The examples of second steps and of a hand-over need this; `as` sets it up at sign-in. */
async function twoFactorCalls(server: TestServer, as: Person): Promise<[string, string][]> {
  const { services } = server;
  const person = await server.createPerson('ADMIN');
  const newcomer = await server.createPerson('ADMIN');
  const { codes } = await addAuthenticatorApp(person, services);
  const challenge = (of: Person, step: 'second_factor' | 'second_factor_set_up') =>
    createSignInChallenge({ id: of.id, session_version: FIRST_VERSION }, step, services);
  const setUp = await beginTotpSetUp(newcomer, services);
  const ownSetUp = await beginTotpSetUp(as, services);
  return [
    [sampleSecrets.challenge, challenge(person, 'second_factor')],
    [sampleSecrets.setUpChallenge, challenge(newcomer, 'second_factor_set_up')],
    [
      sampleSecrets.handover,
      sealHandover({ name: 'token', value: 'x' }, sha256(sampleSecrets.handoverKey), services),
    ],
    [sampleSecrets.begun, setUp.begun],
    [sampleSecrets.ownBegun, ownSetUp.begun],
    [sampleSecrets.recovery[0] ?? '', codes[0] ?? ''],
    [sampleSecrets.code, authenticatorCode(setUp.secret, services.now())],
    ...sampleSecrets.ownCodes.map((code, steps): [string, string] => [
      code,
      authenticatorCode(ownSetUp.secret, services.now() + steps * 30_000),
    ]),
  ];
}

const asking =
  ({ call }: TestServer) =>
  async <E extends Endpoint>(endpoint: E, options: CallOptions<E>): Promise<ResponseOf<E>> => {
    const { status, body, error } = await call(endpoint, options);
    assert.ok(status < 300, `${endpoint}: ${JSON.stringify(error)}`);
    return body;
  };

/** The secret parts of links, of people who are in no other example. */
async function createLinks(
  server: TestServer,
  as: Person,
): Promise<{ registration: string; reset: string; verification: string }> {
  const ask = asking(server);
  const add = async (username: string): Promise<string> => {
    const response = await ask('POST /api/admin/users', {
      as,
      body: { username, role: 'CUSTOMER' },
    });
    return lastPart(response.registrationLink);
  };
  const registration = await add(sample.samplePendingUser.username);
  const email = 'forgetful@northgrid.example';
  await server.createPerson('CUSTOMER', { email, password });
  await ask('POST /api/auth/request-password-reset', { body: { email } });
  await server.sendMails();
  await ask('POST /api/auth/complete-registration', {
    body: { token: await add('newcomer'), password, email: 'newcomer@northgrid.example' },
  });
  await server.sendMails();
  const [reset, verification] = server.mails.map(({ link }) => lastPart(link));
  return { registration, reset: reset ?? '', verification: verification ?? '' };
}

const lastPart = (link: string): string => link.split('/').at(-1) ?? '';
