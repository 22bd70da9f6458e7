import * as assert from 'uvu/assert';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('languages of the server');
const german = { 'Accept-Language': 'de-AT' };

test('returns errors in the caller’s language, and in English without one', async () => {
  const signIn = (languages: string) =>
    server.call('POST /api/auth/login', {
      body: { username: 'ana', password: 'wrong' },
      headers: { 'Accept-Language': languages },
    });
  assert.is((await signIn('de-AT')).error, 'Benutzername oder Passwort ist falsch.');
  assert.is((await signIn('xx')).error, 'Invalid username or password.');
  assert.is((await signIn(`${'x'.repeat(10_000)},de`)).error, 'Invalid username or password.');
  const admin = await server.createPerson('ADMIN');
  const body = { username: ' ', role: 'ADMIN' as const };
  const { error } = await server.call('POST /api/admin/users', {
    as: admin,
    body,
    headers: german,
  });
  assert.equal(error, [{ message: 'Benutzername fehlt.', path: 'username' }]);
  const long = await server.call('POST /api/admin/messages', {
    as: admin,
    body: { userIds: [admin.id], message: 'x'.repeat(1001) },
    headers: german,
  });
  const tooLong = 'Nachricht ist zu lang. Höchstens 1.000 Zeichen sind möglich.';
  assert.equal(long.error, [{ message: tooLong, path: 'message' }]);
});

test('says in the caller’s language what was sent, and which lines of an import are invalid', async () => {
  const admin = await server.createPerson('ADMIN');
  const ana = await server.createPerson('TECHNICIAN');
  const { body: sent } = await server.call('POST /api/admin/messages', {
    as: admin,
    body: { userIds: [ana.id], message: 'Stop.' },
    headers: german,
  });
  assert.is(
    sent.message,
    'Gesendet, aber niemand wird benachrichtigt: Diese Person hat kein Gerät mit eingeschalteten Benachrichtigungen.',
  );
  const tryImport = async (body: string) => {
    const response = await server.request('/api/admin/import?dryRun=true', {
      method: 'POST',
      headers: { ...german, Authorization: `Bearer ${admin.token}`, 'Content-Type': 'text/csv' },
      body,
    });
    return response.json();
  };
  const { error } = await tryImport('username,emial\nmia,');
  assert.is(error, 'Unbekannte Spalte „emial“. Meinten Sie „email“?');
  assert.is(
    (await tryImport('username,1,2,3,4,5,6,7\nmia,')).error,
    'Unbekannte Spalten: „1“, „2“, „3“, „4“, „5“ und 2 weitere. Erlaubte Spalten: username, email, role, topics, teams.',
  );
  const imported = await tryImport('username,email,role,topics\nmia,,boss,Pumps');
  assert.equal(imported.errors, [
    {
      line: 2,
      message:
        '„boss“ ist keine Rolle. Verwenden Sie technician, customer oder admin. Das Thema „Pumps“ gibt es nicht.',
    },
  ]);
});

test('emails in the recipient’s language, and removes direction marks from their name', async () => {
  const username = 'ana {1} \u202e$&';
  const ana = await server.createPerson('TECHNICIAN', { username, email: 'ana@mail.example' });
  await server.call('PUT /api/account/language', { as: ana, body: { language: 'de' } });
  await server.call('POST /api/auth/request-password-reset', {
    body: { email: 'ana@mail.example' },
    headers: { 'Accept-Language': 'fr' },
  });
  await server.sendMails();
  const [mail] = server.mails;
  assert.is(mail?.subject, 'Setzen Sie Ihr Passwort zurück');
  assert.ok(mail?.text.startsWith(`Guten Tag ana {1} $&,\n`));
  assert.match(mail?.text ?? '', /\nhttps:\/\/bell\.example\/reset-password\//);
});

test('gives each recipient their language, and counts answers by place', async () => {
  const admin = await server.createPerson('ADMIN');
  const [ana, tom] = [
    await server.createPerson('TECHNICIAN'),
    await server.createPerson('CUSTOMER'),
  ];
  await server.call('PUT /api/account/language', { as: ana, body: { language: 'de' } });
  const send = (translations: object) =>
    server.call('POST /api/admin/messages', {
      as: admin,
      body: {
        userIds: [ana.id, tom.id],
        message: 'Stop all work.',
        answers: ['Yes', 'No'],
        translations,
      },
    });
  const { body } = await send({ de: { message: 'Alles anhalten.', answers: ['Ja', 'Nein'] } });
  const { messageId } = body;
  const inboxOf = async (as: { token: string }) =>
    (
      await server.call('GET /api/notifications/messages', { as, query: { query: 'alles' } })
    ).body.messages.map(({ message, answers, answer }) => [message, answers, answer]);
  await server.sendReceipts(ana, [{ messageId, kind: 'acknowledged', answer: 'Nein' }]);
  assert.equal(await inboxOf(ana), [['Alles anhalten.', ['Ja', 'Nein'], 'Nein']]);
  assert.equal(await inboxOf(tom), [], 'found by the words that the person reads');
  const sentResponse = await server.call('GET /api/admin/messages/:id', {
    as: admin,
    params: { id: messageId },
  });
  assert.equal(sentResponse.body.tally, { Yes: 0, No: 1 });
  assert.is(sentResponse.body.isTranslated, true);
  const languages = await server.call('GET /api/admin/messages/:id/languages', {
    as: admin,
    params: { id: messageId },
  });
  const counted = languages.body.languages.map((one) => [one.language, one.people]);
  assert.equal(counted.sort(), [
    [null, 1],
    ['de', 1],
  ]);
  const seenResponse = await server.call('GET /api/admin/messages/:id/recipients', {
    as: admin,
    params: { id: messageId },
  });
  assert.equal(
    seenResponse.body.recipients.map(({ user, language }) => [user?.id, language]).sort(),
    [
      [ana.id, 'de'],
      [tom.id, null],
    ],
    'without a translation it is as it was written',
  );
  const oneAnswerReply = await send({ de: { message: 'Alles anhalten.', answers: ['Ja'] } });
  assert.equal(oneAnswerReply.error, [
    {
      path: 'translations',
      message: 'A translation must have the same number of answers as the message.',
    },
  ]);
  const threeAnswersReply = await send({
    de: { message: 'Alles anhalten.', answers: ['Ja', 'Nein', 'Bald'] },
  });
  assert.equal(threeAnswersReply.error, oneAnswerReply.error);
  const swappedResponse = await send({ es: { message: 'Alto.', answers: ['No', 'Yes'] } });
  assert.match(
    JSON.stringify(swappedResponse.error),
    'Each answer must have the same position in every language.',
  );
  assert.match(
    JSON.stringify((await send({ xx: { message: '?' } })).error),
    'en, de, es, fr, pl, ar',
  );
});

test.run();
