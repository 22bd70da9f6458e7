/** Injects network faults into some of the requests. */
import type { FaultyProxy, ProxyFault } from '../support/browsers/faulty-proxy';
import type { RandomChoices } from './random';
import type { PageDriver } from './page-driver';

/** The header of injected responses. */
export const FAULT_HEADER = 'x-network-fault';
const faultWithResponse = (
  status: number,
  body: string,
  headers: Record<string, string> = {},
): ProxyFault => ({
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
interface FaultKind {
  name: string;
  weight: number;
  effect: FaultEffect;
  /** Undefined without a network. */
  fault: ProxyFault | undefined;
}

const FAULT_KINDS: FaultKind[] = [
  { name: 'lost response', weight: 4, effect: 'unclear', fault: 'cut' },
  { name: 'late response', weight: 4, effect: 'late', fault: { late: 400 } },
  {
    name: 'error 500',
    weight: 2,
    effect: 'unclear',
    fault: faultWithResponse(500, CAPTIVE_PORTAL_PAGE),
  },
  {
    name: 'error 503',
    weight: 2,
    effect: 'unclear',
    fault: faultWithResponse(503, CAPTIVE_PORTAL_PAGE),
  },
  {
    name: 'error 429',
    weight: 2,
    effect: 'unclear',
    fault: faultWithResponse(429, '{"error":"Too many requests."}', { 'Retry-After': '1' }),
  },
  {
    name: 'captive portal',
    weight: 2,
    effect: 'unclear',
    fault: faultWithResponse(200, CAPTIVE_PORTAL_PAGE),
  },
  { name: 'cut JSON', weight: 1, effect: 'unclear', fault: faultWithResponse(200, '{"id":1,"us') },
  { name: 'null', weight: 1, effect: 'unclear', fault: faultWithResponse(200, 'null') },
  { name: 'offline', weight: 3, effect: 'unclear', fault: undefined },
  {
    name: 'session ended',
    weight: 1,
    effect: 'ended',
    fault: faultWithResponse(401, '{"error":"You are not signed in."}'),
  },
];
/** Rare, as the app waits ten seconds for it. */
const NO_ANSWER_FAULT: FaultKind = {
  name: 'no answer',
  weight: 0,
  effect: 'unclear',
  fault: 'hang',
};
const NO_ANSWER_PERCENT = 1;

export interface FaultPeriod {
  name: string;
  effect: FaultEffect;
  lift(): Promise<void>;
}

export class NetworkFaults {
  readonly faultCounts = new Map<string, number>();
  /** No faults while this is set. */
  isPaused = false;

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
  async startRandomFault(driver: PageDriver, beginning: string): Promise<FaultPeriod | undefined> {
    if (this.isPaused || !this.random.happens(this.percent)) return undefined;
    const isUnanswered = this.random.happens(NO_ANSWER_PERCENT) && this.silences-- > 0;
    const { name, effect, fault } = isUnanswered
      ? NO_ANSWER_FAULT
      : this.random.pickByWeight(FAULT_KINDS);
    this.faultCounts.set(name, (this.faultCounts.get(name) ?? 0) + 1);
    if (fault) this.network.fault(beginning, fault, 1);
    else await driver.page.setOfflineMode(true);
    return {
      name,
      effect,
      lift: async () => {
        if (fault) this.network.clearFaults();
        else await driver.page.setOfflineMode(false);
      },
    };
  }
}
