import { ApiError, errorMessage } from '../../api/error';

const UNKNOWN =
  'It is not known whether it was sent. You can press Send again: nobody is notified twice.';

/** Why sending failed, and whether the message may have been accepted anyway. */
export function explainSending(thrown: unknown, fallback: string): string {
  const why = errorMessage(thrown, fallback);
  if (!why || !(thrown instanceof ApiError)) return why;
  const unknown = thrown.code !== 'refused' || thrown.status >= 500;
  return unknown ? `${why} ${UNKNOWN}` : why;
}
