/** Networks and servers as they are on a bad day: now and then a request meets with something. */
import type { FaultyProxy, Fault } from '../support/browsers/faulty-proxy';
import type { Dice } from './random';
import type { Hand } from './driver';

/** Marks answers that are the weather's, and not the server's. */
export const MARK = 'x-weather';
const answer = (status: number, body: string, headers: Record<string, string> = {}): Fault => ({
  status,
  body,
  headers: { ...headers, [MARK]: 'bad' },
});
const PORTAL = '<!DOCTYPE html><title>Hotel</title><h1>Welcome to the hotel</h1>';

/**
 * - `late`: all goes well, but slowly
 * - `ended`: the session is said to be over
 * - `unclear`: something went wrong, and whether the request did its work, the person cannot know
 */
export type Effect = 'late' | 'ended' | 'unclear';
interface Kind {
  name: string;
  weight: number;
  effect: Effect;
  /** Undefined where the device itself has no network. */
  fault: Fault | undefined;
}

const KINDS: Kind[] = [
  { name: 'lost answer', weight: 4, effect: 'unclear', fault: 'cut' },
  { name: 'late answer', weight: 4, effect: 'late', fault: { late: 400 } },
  { name: 'error 500', weight: 2, effect: 'unclear', fault: answer(500, PORTAL) },
  { name: 'error 503', weight: 2, effect: 'unclear', fault: answer(503, PORTAL) },
  {
    name: 'error 429',
    weight: 2,
    effect: 'unclear',
    fault: answer(429, '{"error":"Too many requests."}', { 'Retry-After': '1' }),
  },
  { name: 'captive portal', weight: 2, effect: 'unclear', fault: answer(200, PORTAL) },
  { name: 'cut JSON', weight: 1, effect: 'unclear', fault: answer(200, '{"id":1,"us') },
  { name: 'null', weight: 1, effect: 'unclear', fault: answer(200, 'null') },
  { name: 'offline', weight: 3, effect: 'unclear', fault: undefined },
  {
    name: 'session ended',
    weight: 1,
    effect: 'ended',
    fault: answer(401, '{"error":"You are not signed in."}'),
  },
];
/** The app waits ten seconds for it: not many times a day, and not in a short one. */
const SILENCE: Kind = { name: 'no answer', weight: 0, effect: 'unclear', fault: 'hang' };
const SILENT = 1;

export interface Spell {
  name: string;
  effect: Effect;
  lift(): Promise<void>;
}

export class Weather {
  readonly seen = new Map<string, number>();
  /** While this is set, the sun shines. */
  calm = false;

  constructor(
    private readonly dice: Dice,
    private readonly network: FaultyProxy,
    /** Of a hundred requests, how many meet with something. */
    private readonly percent: number,
    /** How often, at most, nothing is answered at all. */
    private silences: number,
  ) {}

  /**
   * Perhaps something for the next request that begins so, such as `POST /api/admin/topics`, and of
   * this person.
   */
  async over(hand: Hand, beginning: string): Promise<Spell | undefined> {
    if (this.calm || !this.dice.chance(this.percent)) return undefined;
    const silent = this.dice.chance(SILENT) && this.silences-- > 0;
    const { name, effect, fault } = silent ? SILENCE : this.dice.weigh(KINDS);
    this.seen.set(name, (this.seen.get(name) ?? 0) + 1);
    if (fault) this.network.fault(beginning, fault, 1);
    else await hand.page.setOfflineMode(true);
    return {
      name,
      effect,
      lift: async () => {
        if (fault) this.network.heal();
        else await hand.page.setOfflineMode(false);
      },
    };
  }
}
