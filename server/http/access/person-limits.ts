/** How much of the database one person, or one key, may keep busy. */
import { HttpError } from '../errors';

interface PersonLimits {
  /** Changes of one person that are under way at once in this process. */
  atOnce: number;
  /** So many more may wait for that. */
  waiting: number;
}

/**
 * Each change takes a database connection, of ten, and changes of one person wait for each other:
 * without a limit one account could occupy all of them.
 */
export const personLimits: PersonLimits = { atOnce: 3, waiting: 100 };

/**
 * Does the work when it is that person's turn. @throws HttpError 429 where too much of theirs waits
 */
type InTurn = <Result>(who: number | string, work: () => Promise<Result>) => Promise<Result>;

interface Person {
  underWay: number;
  /** Each begins what has waited longest. */
  waiting: (() => void)[];
}

export function limitPeople({ atOnce, waiting: most }: PersonLimits = personLimits): InTurn {
  const people = new Map<number | string, Person>();

  /** Resolves when it is their turn, which is theirs until `leave`. */
  async function enter(who: number | string): Promise<Person> {
    const person = people.get(who) ?? { underWay: 0, waiting: [] };
    people.set(who, person);
    if (person.underWay < atOnce) person.underWay += 1;
    else if (person.waiting.length >= most)
      throw new HttpError(429, 'Too many requests at once. Please try again.', 1);
    else await new Promise<void>((resolve) => person.waiting.push(resolve));
    return person;
  }

  /** The turn goes to who waits next. */
  function leave(who: number | string, person: Person): void {
    const next = person.waiting.shift();
    if (next !== undefined) return next();
    person.underWay -= 1;
    if (person.underWay === 0) people.delete(who);
  }

  return async (who, work) => {
    const person = await enter(who);
    try {
      return await work();
    } finally {
      leave(who, person);
    }
  };
}

/** Reads of this many seconds may come at once. */
const BURST_SECONDS = 15;
/** People who are remembered before those of the past are forgotten. */
const MAX_PEOPLE = 10_000;

/**
 * Limits how often one person may read, in this process alone.
 * @param perSecond 0 for no limit
 * @param now milliseconds of a clock that nobody sets
 * @returns counts one more. @throws HttpError 429
 */
export function limitReads(
  perSecond: number,
  now: () => number = () => performance.now(),
): (userId: number) => void {
  /** When each one's burst is whole again. */
  const until = new Map<number, number>();
  return (userId) => {
    if (perSecond === 0) return;
    const at = now();
    const next = Math.max(until.get(userId) ?? 0, at) + 1000 / perSecond;
    const wait = next - at - BURST_SECONDS * 1000;
    if (wait > 0)
      throw new HttpError(429, 'Too many requests. Please try again soon.', Math.ceil(wait / 1000));
    if (until.size >= MAX_PEOPLE)
      for (const [id, whole] of until) if (whole <= at) until.delete(id);
    until.set(userId, next);
  };
}
