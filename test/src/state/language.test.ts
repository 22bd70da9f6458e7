import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sessionAccess } from '../../../src/api/call';
import { storeSignInResponse } from '../../../src/state/first-screen';
import { otherLanguage } from '../../../src/state/language-at-sign-in';
import { fakeApi } from '../../support/app/app';
import { createUser } from '../../support/app/factories/people';

const test = suite('language');
const LANGUAGE = 'PUT /api/account/language';
const TOKEN = 'of this sign-in';
let reloads = 0;
const realToken = sessionAccess.token;

test.before.each(() => {
  reloads = 0;
  Object.defineProperty(location, 'reload', { configurable: true, value: () => reloads++ });
  Object.assign(document.documentElement, { lang: 'en' });
  document.documentElement.dataset.languages = 'en|de|ar';
  sessionAccess.token = () => TOKEN;
  fakeApi.install();
  fakeApi.reply(LANGUAGE, { language: 'de' });
});
test.after.each(() => {
  sessionAccess.token = realToken;
  delete document.documentElement.dataset.languages;
  Reflect.deleteProperty(location, 'reload');
  localStorage.clear();
});

type Chosen = 'de' | 'ar' | 'en';
/** Resolves with whether the page starts again. */
async function signIn(language?: Chosen): Promise<boolean> {
  const user = { ...createUser(1), ...(language && { language }) };
  storeSignInResponse({ token: TOKEN, user });
  return (await otherLanguage()) === true;
}
const storedLanguage = () => localStorage.getItem('language');

test('reloads in the account’s language after a sign-in', async () => {
  localStorage.setItem('language', 'en chosen');
  assert.is(await signIn('ar'), true);
  assert.equal([reloads, storedLanguage()], [1, 'ar']);
  document.documentElement.lang = 'ar';
  assert.is(await signIn('ar'), false);
  assert.equal([reloads, storedLanguage(), fakeApi.requestsTo(LANGUAGE)], [1, 'ar', []]);
});

test('saves a language chosen at the login form for an account without one', async () => {
  localStorage.setItem('language', 'de chosen');
  document.documentElement.lang = 'de';
  assert.is(await signIn(), false);
  assert.equal(
    fakeApi.requestsTo(LANGUAGE).map(({ body }) => body),
    [{ language: 'de' }],
  );
});

test('follows the browser again after the language of another person', async () => {
  localStorage.setItem('language', 'ar');
  document.documentElement.lang = 'ar';
  assert.is(await signIn(), true);
  assert.equal([reloads, storedLanguage(), fakeApi.requestsTo(LANGUAGE)], [1, null, []]);
});

test('ignores a language that the build does not have', async () => {
  assert.is(await signIn('fr' as Chosen), false);
  assert.is(reloads, 0);
});

test.run();
