import { dateFormats } from './Day';

/** Creates the formats of a language. */
export function createFormats(language = LANGUAGE === 'en' ? navigator.language : LOCALE): void {
  dateFormats.value = {
    day: new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', year: 'numeric' }),
    clock: new Intl.DateTimeFormat(language, {
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
  };
}
