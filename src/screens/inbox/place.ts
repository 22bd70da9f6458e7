/** The id of the place of new messages, and under which its height is kept for the next time. */
export const FRESH = 'fresh';
