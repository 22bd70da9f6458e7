/** Bounds how much of the database one person or key may keep busy. */
import { HttpError } from '../errors';

interface PersonLimits {
  atOnce: number;
  waiting: number;
}

/** Each change takes one of ten database connections: one account must not occupy all of them. */
export const personLimits: PersonLimits = { atOnce: 3, waiting: 100 };

/** Runs the work in that person's turn. @throws HttpError 429 if too much of it waits */
type InTurn = <Result>(who: number | string, work: () => Promise<Result>) => Promise<Result>;

interface Person {
  running: number;
  waiting: (() => void)[];
}

export function limitPeople({ atOnce, waiting: maxWaiting }: PersonLimits = personLimits): InTurn {
  const people = new Map<number | string, Person>();

  async function enter(personKey: number | string): Promise<Person> {
    const person = people.get(personKey) ?? { running: 0, waiting: [] };
    people.set(personKey, person);
    if (person.running < atOnce) person.running += 1;
    else if (person.waiting.length >= maxWaiting)
      throw new HttpError(429, 'Too many requests at once. Please try again.', 1);
    else await new Promise<void>((resolve) => person.waiting.push(resolve));
    return person;
  }

  function leave(personKey: number | string, person: Person): void {
    const next = person.waiting.shift();
    if (next !== undefined) return next();
    person.running -= 1;
    if (person.running === 0) people.delete(personKey);
  }

  return async (personKey, work) => {
    const person = await enter(personKey);
    try {
      return await work();
    } finally {
      leave(personKey, person);
    }
  };
}

/** Reads of this many seconds may come in one burst. */
const BURST_SECONDS = 15;
/** Tracked people before we forget those whose burst is over. */
const MAX_PEOPLE = 10_000;

/** In this process; `perSecond` 0 for no limit. @returns counts one read. @throws HttpError 429 */
export function limitReads(
  perSecond: number,
  now: () => number = () => performance.now(),
): (userId: number) => void {
  const until = new Map<number, number>();
  return (userId) => {
    if (perSecond === 0) return;
    const at = now();
    const next = Math.max(until.get(userId) ?? 0, at) + 1000 / perSecond;
    const wait = next - at - BURST_SECONDS * 1000;
    if (wait > 0)
      throw new HttpError(429, 'Too many requests. Please try again soon.', Math.ceil(wait / 1000));
    if (until.size >= MAX_PEOPLE)
      for (const [id, fullAt] of until) if (fullAt <= at) until.delete(id);
    until.set(userId, next);
  };
}
