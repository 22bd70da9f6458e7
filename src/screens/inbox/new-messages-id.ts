/** The id of the new messages' place, and the key of its stored height. */
export const NEW_MESSAGES_ID = 'fresh';
