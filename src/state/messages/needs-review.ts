/** Which messages need a review before sending. */
import type { Priority } from '../../shared/contract';

export const UNDO_SECONDS = 5;
const MAX_UNREVIEWED_PEOPLE = 50;

/** @param people undefined if unknown */
export const needsReview = (people: number | undefined, priority: Priority = 'normal'): boolean =>
  priority === 'urgent' || people === undefined || people > MAX_UNREVIEWED_PEOPLE;
