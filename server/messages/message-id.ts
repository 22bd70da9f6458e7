/** What can be a message's id; others would end a transaction on PostgreSQL, which stores no NUL. */
const POSSIBLE_ID = /^[\w-]{1,64}$/;

export const isPossibleMessageId = (id: string): boolean => id.length <= 64 && POSSIBLE_ID.test(id);
