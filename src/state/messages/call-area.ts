/** Senders have calls of their own, which show less than administrators' and auditors'. */
import { isAdmin } from '../session';

export type CallArea = 'admin' | 'sending';

/** The same call in another area. */
export const inArea = <E extends `${string}/admin/${string}`>(area: CallArea, endpoint: E): E =>
  endpoint.replace('admin', area) as E;

/** Where this person writes messages. */
export const writingArea = (): CallArea => (isAdmin.peek() ? 'admin' : 'sending');

/** Only senders' messages say whether they are the person's own. */
export const areaOf = (message: object): CallArea => ('isOwn' in message ? 'sending' : 'admin');
