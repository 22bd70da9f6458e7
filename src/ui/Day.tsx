const formats = new Map<string, Intl.DateTimeFormat>();

/** Text of a day in the reader's language, such as `12 Nov 2026`; `-` for what is no date. */
export function dayText(iso: unknown, language = navigator.language): string {
  const time = typeof iso === 'string' ? Date.parse(iso) : Number.NaN;
  if (Number.isNaN(time)) return '-';
  let format = formats.get(language);
  if (!format) formats.set(language, (format = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', year: 'numeric' })));
  return format.format(time);
}

/** A day, from the contract's timestamp. */
export const Day = ({ iso }: { iso: string }) => day(iso);

/** The same where there are hundreds: as many components would cost more than what they draw. */
export function day(iso: string) {
  const text = dayText(iso);
  return text === '-' ? <>-</> : <time dateTime={iso.slice(0, 10)}>{text}</time>;
}

/** A moment: the time if it is of today, else with its day. `time` is in milliseconds since 1970. */
export function Moment({ time }: { time: number }) {
  const date = new Date(time);
  const clock = date.toLocaleTimeString(navigator.language, { hour: '2-digit', minute: '2-digit', hour12: false });
  const today = date.toDateString() === new Date().toDateString();
  return <time dateTime={date.toISOString()}>{today ? clock : `${dayText(date.toISOString())}, ${clock}`}</time>;
}
