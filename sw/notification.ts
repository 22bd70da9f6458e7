import { getTextDirection } from '../src/shared/languages';

/** All our notifications share these options. The language is the one of our own words. */
export const sharedNotificationOptions = () => ({
  icon: '/icon-192.png',
  badge: '/badge-96.png',
  lang: LANGUAGE,
  dir: getTextDirection(LANGUAGE),
});
