/** The little of `language.ts` that everyone needs. */
import { sessionAccess } from '../api/call';
import { LANGUAGE_STORAGE_KEY, readStored, writeStored } from '../platform/storage/storage';
import type { Language } from '../shared/languages';
import { pendingSignInResponse } from './first-screen';

/** After a sign-in, before anything is shown: true if the page starts again in another language. */
export function otherLanguage(): Promise<boolean> | undefined {
  if (!pendingSignInResponse?.user || pendingSignInResponse.token !== sessionAccess.token())
    return undefined;
  const { language = null } = pendingSignInResponse.user;
  if (language === document.documentElement.lang) storeLanguage(language);
  else if (language ?? readStored(LANGUAGE_STORAGE_KEY))
    return import('./language').then(
      (module) => module.switchLanguage(language),
      () => false,
    );
  return undefined;
}

/** The next start uses this language: the person may have chosen another on another device. */
export const storeLanguage = (language: Language | null = null) =>
  writeStored(LANGUAGE_STORAGE_KEY, language);
