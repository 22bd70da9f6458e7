import type { Author } from '../../audit/record';
import { addressNetwork } from '../../http/connections/address';
import type { Services } from '../../services';

/**
 * Where and when somebody tries to sign in, for the audit log. @param from the address of the
 * connection
 */
export const authorOf = (from: string, { now }: Services): Omit<Author, 'by'> => ({
  network: addressNetwork(from),
  at: now(),
});
