import * as assert from 'uvu/assert';
import { readAcceptLanguage } from '../../../server/translation/accept-language';
import type { Language } from '../../../src/shared/languages';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('languages of people', {
  environment: { DEFAULT_LANGUAGE: 'fr' },
});

test('reads the most wanted of our languages, of any header', () => {
  const headers: [string | undefined, Language | undefined][] = [
    ['de-AT, en;q=0.8', 'de'],
    ['it, en;q=0.5, PL;q=0.7', 'pl'],
    ['ar;q=0, es;q=0.1', 'es'],
    ['xx, *', undefined],
    ['de;q=9, fr;q=x, deutsch', undefined],
    [`${'x,'.repeat(5000)}de`, undefined],
    [undefined, undefined],
  ];
  for (const [header, language] of headers)
    assert.is(readAcceptLanguage(header), language, header?.slice(0, 30));
});

const storedLanguages = (id: number) =>
  server.services.db
    .selectFrom('users')
    .select(['language', 'browser_language'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

test('keeps the chosen language apart from the browser’s', async () => {
  const ana = await server.createPerson('TECHNICIAN');
  const chooseLanguage = (language: unknown, languages = 'es') =>
    server.call('PUT /api/account/language', {
      as: ana,
      body: { language: language as Language },
      headers: { 'Accept-Language': languages },
    });
  const visit = (languages: string) =>
    server.call('POST /api/auth/refresh', { as: ana, headers: { 'Accept-Language': languages } });
  assert.equal((await chooseLanguage('pl')).body, { language: 'pl' });
  assert.is((await visit('de-DE')).body.language, 'pl');
  assert.is((await chooseLanguage('tlh')).status, 400);
  assert.equal(await storedLanguages(ana.id), { language: 'pl', browser_language: 'de' });

  await chooseLanguage(null, 'fr');
  assert.equal(await storedLanguages(ana.id), { language: null, browser_language: 'fr' });
  await visit('de-DE');
  assert.is((await visit('xx')).body.language, undefined);
  assert.is((await server.call('GET /api/account', { as: ana })).body.language, null);
  assert.equal(await storedLanguages(ana.id), { language: null, browser_language: 'de' });
});

test('lets administrators choose a language only until a person registers', async () => {
  const admin = await server.createPerson('ADMIN');
  const body = { username: 'omar', role: 'TECHNICIAN', language: 'de' } as const;
  const { body: added } = await server.call('POST /api/admin/users', { as: admin, body });
  assert.is(added.user.language, 'de');
  const chooseForUser = () =>
    server.call('PUT /api/admin/users/:id/language', {
      as: admin,
      params: { id: added.user.id },
      body: { language: 'ar' },
    });
  assert.is((await chooseForUser()).body.language, 'ar');
  const token = added.registrationLink.split('/').at(-1) ?? '';
  const password = 'correct horse battery';
  await server.call('POST /api/auth/complete-registration', {
    body: { token, password, email: 'omar@mail.example' },
    headers: { 'Accept-Language': 'en' },
  });
  assert.is((await chooseForUser()).status, 409);
  const signedIn = await server.call('POST /api/auth/login', {
    body: { username: 'omar', password },
  });
  assert.is(signedIn.body.user.language, 'ar');
  assert.equal(await storedLanguages(added.user.id), { language: 'ar', browser_language: 'en' });
});

test.run();
