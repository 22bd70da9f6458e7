/** The lock that a page shares for as long as it sees to clicks on notifications. */
export const LISTENING = 'listening';
