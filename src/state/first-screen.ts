/** What the response to a sign-in brings: the first screen's data, and the person's rights. */
import { sessionAccess } from '../api/call';
import type { ResponseOf } from '../shared/contract';

type Response = ResponseOf<'POST /api/auth/login'>;
type SignInResponse = Pick<
  Response,
  'token' | 'firstScreen' | 'maySend' | 'isAuditor' | 'mayCheckIn' | 'watchesCheckIns'
> &
  Partial<Pick<Response, 'user'>>;

/** The response to the sign-in, until the first screen reads it. */
export let pendingSignInResponse: SignInResponse | undefined;

export function storeSignInResponse(response: SignInResponse): void {
  pendingSignInResponse = response;
}

/** Returns the response to this session's sign-in once, because a response ages. */
export function consumeSignInResponse(): SignInResponse | undefined {
  // Another tab may have signed in another person.
  const rows =
    pendingSignInResponse?.token === sessionAccess.token() ? pendingSignInResponse : undefined;
  pendingSignInResponse = undefined;
  return rows;
}
