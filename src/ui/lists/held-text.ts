import { untilText } from '../values/When';
import { countText } from './Pager';

/** `3 held until 06:00`, or `3 held` without a time. */
export function heldText(count: number, until: string | null | undefined): string {
  const text = until ? untilText(until) : '-';
  return text === '-' ? countText(count, 'held') : countText(count, `held until ${text}`);
}
