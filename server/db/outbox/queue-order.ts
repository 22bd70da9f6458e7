/**
 * The order of the outbox. Each push service has its own queue, so none waits for one that hangs.
 * `sort_key` orders a queue by an index; all rows that are due lie below `RETRY_ORDER_START + now`.
 */
import type { Priority } from '../../../src/shared/contract';

/** The sort key of a retry is this plus its time, so retries come after all untried rows. */
export const RETRY_ORDER_START = 100_000_000_000_000;
/** The distance between a message's rows lets small messages overtake large messages. */
export const MESSAGE_ORDER_SPACING = 100;
/** An urgent message overtakes messages sent up to this many milliseconds before it. */
const URGENT_LEAD_MS = 10 * 60_000;

/** The key of a message's first row. */
export const firstOrderKey = ({ priority }: { priority: Priority }, now: number): number =>
  priority === 'urgent' ? now - URGENT_LEAD_MS : now;
