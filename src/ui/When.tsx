import { clockText, dayText } from './Day';

const DAY_MS = 86_400_000;
const NEAR = new Map([
  [-1, 'Yesterday'],
  [0, 'Today'],
  [1, 'Tomorrow'],
]);

/** The number of a day: those that follow each other differ by one, however long each is. */
const dayNumber = (date: Date): number =>
  Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS;

/** `Yesterday`, `Today` or `Tomorrow`; undefined for any other day. */
export const nearDay = (date: Date): string | undefined =>
  NEAR.get(dayNumber(date) - dayNumber(new Date()));

/**
 * A moment with its day, from the contract's timestamp: `Today 14:02`, or `today 14:02` inside a
 * sentence, else such as `18 Nov 2026 05:50`; `-` for a text that is no moment.
 */
export function When({ iso, inside }: { iso: string; inside?: boolean }) {
  const far = dayText(iso);
  if (far === '-') return <>-</>;
  const date = new Date(iso); // which throws for what cannot be made a text
  const near = nearDay(date);
  return (
    <time dateTime={date.toISOString()}>
      {(inside ? near?.toLowerCase() : near) ?? far} {clockText(date)}
    </time>
  );
}
