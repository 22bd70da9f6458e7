/** The review of a message, and its undo. This chunk loads on demand. */
export { PolicyReviewDialog } from './PolicyReviewDialog';
export { announceHeld, announceUndone, countDown } from './undo';
