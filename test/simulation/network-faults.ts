/** Injects network faults into some of the requests. */
import type { FaultyProxy, ProxyFault } from '../support/browsers/faulty-proxy';
import type { RandomChoices } from './random';
import type { PageDriver } from './page-driver';

/** The header of injected responses. */
export const FAULT_HEADER = 'x-network-fault';
const reply = (status: number, body: string, headers: Record<string, string> = {}): ProxyFault => ({
  status,
  body,
  headers: { ...headers, [FAULT_HEADER]: 'bad' },
});
const CAPTIVE_PORTAL_PAGE = '<!DOCTYPE html><title>Hotel</title><h1>Welcome to the hotel</h1>';

/**
 * - `late`: succeeds slowly
 * - `ended`: reports an ended session
 * - `unclear`: fails, and it is unknown whether the request did its work
 */
export type FaultEffect = 'late' | 'ended' | 'unclear';
interface Kind {
  name: string;
  weight: number;
  effect: FaultEffect;
  /** Undefined without a network. */
  fault: ProxyFault | undefined;
}

const FAULT_KINDS: Kind[] = [
  { name: 'lost response', weight: 4, effect: 'unclear', fault: 'cut' },
  { name: 'late response', weight: 4, effect: 'late', fault: { late: 400 } },
  { name: 'error 500', weight: 2, effect: 'unclear', fault: reply(500, CAPTIVE_PORTAL_PAGE) },
  { name: 'error 503', weight: 2, effect: 'unclear', fault: reply(503, CAPTIVE_PORTAL_PAGE) },
  {
    name: 'error 429',
    weight: 2,
    effect: 'unclear',
    fault: reply(429, '{"error":"Too many requests."}', { 'Retry-After': '1' }),
  },
  { name: 'captive portal', weight: 2, effect: 'unclear', fault: reply(200, CAPTIVE_PORTAL_PAGE) },
  { name: 'cut JSON', weight: 1, effect: 'unclear', fault: reply(200, '{"id":1,"us') },
  { name: 'null', weight: 1, effect: 'unclear', fault: reply(200, 'null') },
  { name: 'offline', weight: 3, effect: 'unclear', fault: undefined },
  {
    name: 'session ended',
    weight: 1,
    effect: 'ended',
    fault: reply(401, '{"error":"You are not signed in."}'),
  },
];
/** Rare, as the app waits ten seconds for it. */
const NO_ANSWER_FAULT: Kind = { name: 'no answer', weight: 0, effect: 'unclear', fault: 'hang' };
const NO_ANSWER_PERCENT = 1;

export interface FaultPeriod {
  name: string;
  effect: FaultEffect;
  lift(): Promise<void>;
}

export class NetworkFaults {
  readonly seen = new Map<string, number>();
  /** No faults while this is set. */
  calm = false;

  constructor(
    private readonly random: RandomChoices,
    private readonly network: FaultyProxy,
    /** How many of a hundred requests meet a fault. */
    private readonly percent: number,
    /** How many requests get no answer at most. */
    private silences: number,
  ) {}

  /**
   * Perhaps a fault for this person's next request that begins so, such as `POST
   * /api/admin/topics`.
   */
  async over(driver: PageDriver, beginning: string): Promise<FaultPeriod | undefined> {
    if (this.calm || !this.random.chance(this.percent)) return undefined;
    const isUnanswered = this.random.chance(NO_ANSWER_PERCENT) && this.silences-- > 0;
    const { name, effect, fault } = isUnanswered ? NO_ANSWER_FAULT : this.random.weigh(FAULT_KINDS);
    this.seen.set(name, (this.seen.get(name) ?? 0) + 1);
    if (fault) this.network.fault(beginning, fault, 1);
    else await driver.page.setOfflineMode(true);
    return {
      name,
      effect,
      lift: async () => {
        if (fault) this.network.heal();
        else await driver.page.setOfflineMode(false);
      },
    };
  }
}
