/** A page shares this lock while it handles clicks on notifications. */
export const CLICK_LISTENER_LOCK = 'listening';
