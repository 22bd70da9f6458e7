/**
 * Users that match filters with which the server is not asked (S2.67): its pages are looked through
 * until the asked one is full.
 */
import { readUsers } from '../../state/users/users';
import type { PageOf, WantedPage } from '../../state/pages';
import type { User } from '../../shared/contract';
import { amount } from '../../ui/lists/Pager';

/** As many as a page may have. */
const AT_ONCE = 100;
/** So many questions are asked beside each other, once it is known how many there are. */
const TOGETHER = 4;
/** So many users are looked through, the newest, and no more. */
export const MAX_LOOKED_AT = 10_000;

/** A page of those that match. While not all were looked through, `total` is how many were found. */
export interface Found extends PageOf<User> {
  looked: number;
  /** How many users there are to look through. */
  of: number;
}

/** What was found is kept for the next page. Page 1 looks anew. */
export function lookThrough(matches: (user: User) => boolean) {
  let found = new Map<number, User>();
  let [looked, of, next] = [0, 1, 1];
  let stopped = false;
  let turn: Promise<unknown> = Promise.resolve();

  function forget(): void {
    found = new Map();
    [looked, of, next] = [0, 1, 1];
  }

  async function look({ page, limit, query }: WantedPage): Promise<Found> {
    if (page === 1) forget();
    // One more than the page has, so that it is known whether there is another.
    while (!stopped && found.size <= page * limit && looked < Math.min(of, MAX_LOOKED_AT)) {
      const left = Math.ceil((Math.min(of, MAX_LOOKED_AT) - looked) / AT_ONCE);
      const pages = Array.from({ length: Math.min(TOGETHER, left) }, (_, at) => next + at);
      const answers = await Promise.all(
        pages.map((one) => readUsers({ page: one, limit: AT_ONCE, query })),
      );
      next += pages.length;
      looked = (next - 1) * AT_ONCE;
      for (const { rows, total } of answers) {
        of = total;
        // Somebody was added meanwhile: a row that was on the page before comes again.
        for (const user of rows) if (matches(user)) found.set(user.id, user);
      }
    }
    const rows = [...found.values()].slice((page - 1) * limit, page * limit);
    return { rows, total: found.size, page, limit, looked: Math.min(looked, of), of };
  }

  return {
    /** One after the other: each goes on where the one before has ended. */
    read(wanted: WantedPage): Promise<Found> {
      const asked = turn.then(() => look(wanted));
      turn = asked.catch(() => {});
      return asked;
    },
    /** Something was changed: the next page looks anew. */
    forget,
    /** Nobody waits for it any more. */
    stop(): void {
      stopped = true;
    },
  };
}

/** What a page of them is, and among how many it was looked for. */
export function describeFound(found: Found): string {
  const { rows, page, limit, total, looked, of } = found;
  const first = (page - 1) * limit + 1;
  const numbers = `${first.toLocaleString()}–${(first + rows.length - 1).toLocaleString()}`;
  if (looked < Math.min(of, MAX_LOOKED_AT))
    return `${numbers} of those that match · ${looked.toLocaleString()} of ${amount(of, 'user')} looked through so far`;
  return `${numbers} of ${total.toLocaleString()} that match, of ${whom(found)}`;
}

/** Where nobody matches. */
export const describeNone = (found: Found): string => `No match in ${whom(found)}.`;

const whom = ({ of }: Found): string =>
  of > MAX_LOOKED_AT
    ? `the newest ${MAX_LOOKED_AT.toLocaleString()} of ${amount(of, 'user')}; search for a name to see others`
    : `all ${amount(of, 'user')}`;
