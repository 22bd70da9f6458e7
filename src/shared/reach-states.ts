/** Which people count as reachable, wherever the app or the server counts them. */
import type { ReachState, ReachSummary } from './contract';

/** People who get notifications late count as reachable. All other states need attention. */
export const REACHABLE_STATES: readonly ReachState[] = ['late', 'reachable'];

export const sumReachable = (summary: ReachSummary): number =>
  REACHABLE_STATES.reduce((sum, state) => sum + summary[state], 0);
