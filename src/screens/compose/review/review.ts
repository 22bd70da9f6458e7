/** The review of a message, and its undo: a chunk that loads when it is needed. */
export { PolicyReviewDialog } from './PolicyReviewDialog';
export { announceHeld, announceUndone, countDown } from './undo';
