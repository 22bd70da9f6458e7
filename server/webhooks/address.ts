/** The address of a webhook, judged when it is added, and once more at each connection. */
import { HttpError } from '../http/errors';
import { toHref } from '../lib/address';
import type { Services } from '../services';

const HELP = 'It can be called only if WEBHOOK_ALLOWED_HOSTS names its host.';
const FAULTS: Record<string, string> = {
  'endpoint-not-https': 'Address must begin with https://.',
  'endpoint-with-userinfo': 'Address must not have a name or a password in it.',
  'endpoint-port': `Address names a port. ${HELP}`,
  'endpoint-address': `Address is in a private network. ${HELP}`,
};

/**
 * @returns the address as it is kept: in one form, however it was written
 * @throws HttpError 400 for one that may not be called
 */
export async function requireAddress(text: string, { webhookCaller }: Services): Promise<string> {
  const url = new URL(toHref(text));
  const fault = await webhookCaller.fault(url);
  if (fault === undefined) return url.href;
  const message = FAULTS[fault] ?? 'Address cannot be called.';
  throw new HttpError(400, [{ message, path: 'url' }]);
}
