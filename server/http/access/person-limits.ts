/** Bounds how much of the database one person or key may keep busy. */
import { HttpError } from '../errors';

interface PersonLimits {
  atOnce: number;
  waiting: number;
}

/** Each change takes one of ten database connections: one account must not occupy all of them. */
export const PERSON_CHANGE_LIMITS: PersonLimits = { atOnce: 3, waiting: 100 };

/**
 * Runs the work in that person's turn.
 * @throws HttpError 429 if too much of it waits
 */
type RunInTurn = <Result>(
  personKey: number | string,
  work: () => Promise<Result>,
) => Promise<Result>;

interface PersonTurns {
  running: number;
  waiting: (() => void)[];
}

export function createConcurrencyLimiter({
  atOnce,
  waiting: maxWaiting,
}: PersonLimits = PERSON_CHANGE_LIMITS): RunInTurn {
  const turnsByPerson = new Map<number | string, PersonTurns>();

  async function waitForTurn(personKey: number | string): Promise<PersonTurns> {
    const turns = turnsByPerson.get(personKey) ?? { running: 0, waiting: [] };
    turnsByPerson.set(personKey, turns);
    if (turns.running < atOnce) turns.running += 1;
    else if (turns.waiting.length >= maxWaiting)
      throw new HttpError(429, 'Too many requests at once. Please try again.', 1);
    else await new Promise<void>((resolve) => turns.waiting.push(resolve));
    return turns;
  }

  function endTurn(personKey: number | string, turns: PersonTurns): void {
    const nextTurn = turns.waiting.shift();
    if (nextTurn !== undefined) return nextTurn();
    turns.running -= 1;
    if (turns.running === 0) turnsByPerson.delete(personKey);
  }

  return async (personKey, work) => {
    const turns = await waitForTurn(personKey);
    try {
      return await work();
    } finally {
      endTurn(personKey, turns);
    }
  };
}

/** Reads of this many seconds may come in one burst. */
const BURST_SECONDS = 15;
/** Above this number of tracked people, we forget the people whose burst is over. */
const MAX_TRACKED_PEOPLE = 10_000;

/**
 * Limits each person's reads in this process. A `perSecond` of 0 means no limit.
 * @returns a function that counts one read
 * @throws HttpError 429
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
    if (busyUntil.size >= MAX_TRACKED_PEOPLE)
      for (const [id, fullAt] of busyUntil) if (fullAt <= askedAt) busyUntil.delete(id);
    busyUntil.set(userId, nextAt);
  };
}
