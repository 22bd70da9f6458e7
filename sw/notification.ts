import { getTextDirection } from '../src/shared/languages';

/** What all our notifications share; the language is that of our own words. */
export const ownNotification = () => ({
  icon: '/icon-192.png',
  badge: '/badge-96.png',
  lang: LANGUAGE,
  dir: getTextDirection(LANGUAGE),
});
