/** Senders have calls of their own, which show less than administrators' and auditors'. */
import { isAdmin } from '../session';

export type CallArea = 'admin' | 'sending';

export const MESSAGE_CANCEL_FAILED = 'Failed to cancel the message.';

/** Returns the endpoint of the same call in another area. */
export const endpointInArea = <E extends `${string}/admin/${string}`>(
  area: CallArea,
  endpoint: E,
): E => endpoint.replace('admin', area) as E;

/** Where this person writes messages. */
export const getComposeArea = (): CallArea => (isAdmin.peek() ? 'admin' : 'sending');

/** A message with `isOwn` comes from the senders' calls. */
export const getMessageArea = (message: object): CallArea =>
  'isOwn' in message ? 'sending' : 'admin';
