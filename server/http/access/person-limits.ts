/** Bounds how much of the database one person or key may keep busy. */
import { HttpError } from '../errors';

interface PersonLimits {
  atOnce: number;
  waiting: number;
}

/** Each change takes one of ten database connections: one account must not occupy all of them. */
export const personLimits: PersonLimits = { atOnce: 3, waiting: 100 };

/** Runs the work in that person's turn. @throws HttpError 429 if too much of it waits */
type RunInTurn = <Result>(who: number | string, work: () => Promise<Result>) => Promise<Result>;

interface Person {
  running: number;
  waiting: (() => void)[];
}

export function limitPeople({
  atOnce,
  waiting: maxWaiting,
}: PersonLimits = personLimits): RunInTurn {
  const people = new Map<number | string, Person>();

  async function acquireTurn(personKey: number | string): Promise<Person> {
    const person = people.get(personKey) ?? { running: 0, waiting: [] };
    people.set(personKey, person);
    if (person.running < atOnce) person.running += 1;
    else if (person.waiting.length >= maxWaiting)
      throw new HttpError(429, 'Too many requests at once. Please try again.', 1);
    else await new Promise<void>((resolve) => person.waiting.push(resolve));
    return person;
  }

  function releaseTurn(personKey: number | string, person: Person): void {
    const nextTurn = person.waiting.shift();
    if (nextTurn !== undefined) return nextTurn();
    person.running -= 1;
    if (person.running === 0) people.delete(personKey);
  }

  return async (personKey, work) => {
    const person = await acquireTurn(personKey);
    try {
      return await work();
    } finally {
      releaseTurn(personKey, person);
    }
  };
}

/** Reads of this many seconds may come in one burst. */
const BURST_SECONDS = 15;
/** Tracked people before we forget those whose burst is over. */
const MAX_PEOPLE = 10_000;

/**
 * Limits reads in this process; `perSecond` 0 means no limit.
 * @returns a function that counts one read. @throws HttpError 429
 */
export function limitReads(
  perSecond: number,
  now: () => number = () => performance.now(),
): (userId: number) => void {
  const busyUntil = new Map<number, number>();
  return (userId) => {
    if (perSecond === 0) return;
    const askedAt = now();
    const nextAt = Math.max(busyUntil.get(userId) ?? 0, askedAt) + 1000 / perSecond;
    const wait = nextAt - askedAt - BURST_SECONDS * 1000;
    if (wait > 0)
      throw new HttpError(429, 'Too many requests. Please try again soon.', Math.ceil(wait / 1000));
    if (busyUntil.size >= MAX_PEOPLE)
      for (const [id, fullAt] of busyUntil) if (fullAt <= askedAt) busyUntil.delete(id);
    busyUntil.set(userId, nextAt);
  };
}
