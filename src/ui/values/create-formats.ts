import { dateFormats } from './Day';

/** English has the day first, as before the formats are ready. */
export function createFormats(language = LANGUAGE === 'en' ? 'en-GB' : LOCALE): void {
  const day = { day: 'numeric', month: 'short' } as const;
  dateFormats.value = {
    day: new Intl.DateTimeFormat(language, day),
    dayWithYear: new Intl.DateTimeFormat(language, { ...day, year: 'numeric' }),
    clock: new Intl.DateTimeFormat(language, {
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
  };
}
