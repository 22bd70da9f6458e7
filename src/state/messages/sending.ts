import { ApiError, errorMessage } from '../../api/error';

const UNKNOWN_OUTCOME =
  'We don’t know whether the message was sent. You can press Send again. If you don’t change it, people are notified only once.';

/** Why sending failed, and whether the message may have been accepted anyway. */
export function explainSendFailure(thrown: unknown, fallback: string): string {
  const reason = errorMessage(thrown, fallback);
  if (!reason || !(thrown instanceof ApiError)) return reason;
  const isOutcomeUnknown = thrown.code !== 'rejected' || thrown.status >= 500;
  return isOutcomeUnknown ? `${reason} ${UNKNOWN_OUTCOME}` : reason;
}
