/** The server's limits of a message's texts, in characters (`src/shared/contract/message-fields.ts`). */
export const MAX_TITLE_LENGTH = 100;
export const MAX_MESSAGE_LENGTH = 1000;
export const MAX_ANSWER_LENGTH = 24;
/** About how many characters of a message phones show on the lock screen. */
export const LOCK_SCREEN_LENGTH = 110;
/** How many answers Android shows on the lock screen (`sw/receive.ts`). */
export const LOCK_SCREEN_ANSWERS = 2;
