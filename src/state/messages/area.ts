/** Senders have calls of their own, which show less than administrators' and auditors'. */
import { isAdmin } from '../session';

export type Area = 'admin' | 'sending';

/** The same call in another area. */
export const inArea = <E extends `${string}/admin/${string}`>(area: Area, endpoint: E): E =>
  endpoint.replace('admin', area) as E;

/** Where this person writes messages. */
export const writingArea = (): Area => (isAdmin.peek() ? 'admin' : 'sending');

/** Only senders' messages say whether they are the person's own. */
export const areaOf = (message: object): Area => ('isOwn' in message ? 'sending' : 'admin');
