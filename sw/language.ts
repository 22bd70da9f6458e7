/** The language of this worker: its script's address is `/firebase-messaging-sw.js?de`. */
import type { PrecacheEntry } from 'workbox-precaching';

/** The files that a phone keeps, by language; written by the build. */
declare const KEPT_FILES: Record<string, (string | PrecacheEntry)[]>;

const requestedLanguage = self.location.search.slice(1);
/** Uses English if the build no longer has the requested language. */
const language = Object.hasOwn(KEPT_FILES, requestedLanguage) ? requestedLanguage : 'en';

/** `plural` and the texts that the build inserts read this. */
Object.assign(self, { LANGUAGE: language });

export const keptFiles = KEPT_FILES[language] ?? [];
export const pagePath = language === 'en' ? '/index.html' : `/index.${language}.html`;
