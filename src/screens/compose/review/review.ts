/** The review of a message, and its undo. This chunk loads on demand. */
export { PolicyReview, PolicyReviewDialog } from './PolicyReview';
export { announceHeld, announceHeldDraft, announceUndone, countDown } from './undo';
