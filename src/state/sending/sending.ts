/** What is said of a message that could not be sent. */
import { ApiError, errorMessage } from '../../api/error';

const UNKNOWN =
  'It is not known whether it was sent. You can press Send again: nobody is notified twice.';

/** Why it failed; where the message may have been taken all the same, that too. */
export function explainSending(thrown: unknown, fallback: string): string {
  const why = errorMessage(thrown, fallback);
  if (!why || !(thrown instanceof ApiError)) return why;
  const unknown = thrown.code !== 'refused' || thrown.status >= 500;
  return unknown ? `${why} ${UNKNOWN}` : why;
}
