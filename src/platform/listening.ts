/** A page shares this lock while it handles clicks on notifications. */
export const LISTENING = 'listening';
