/**
 * The order of the outbox' queues. Each push service has a queue of its own, so that no service
 * waits behind the rows of one that hangs, and no query reads them. Within it `sort_key` says what
 * comes next, and an index holds the rows in that order: whatever may be sent now lies below
 * `PARKED + now`, so that waiting rows are never looked at in vain.
 */

/**
 * Rows that wait for another try have it in front of their time: they come after all that were
 * never tried.
 */
export const PARKED = 100_000_000_000_000;
/**
 * Milliseconds by which each further row of a message lies behind the one before: a message to five
 * waits for few of those of another message to ten thousand.
 */
export const SPACING = 100;
