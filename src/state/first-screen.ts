/** What the response to a sign-in brings: the first screen's data, and the person's rights. */
import { session } from '../api/call';
import type { ResponseOf } from '../shared/contract';

type SignInResponse = Pick<
  ResponseOf<'POST /api/auth/login'>,
  'token' | 'firstScreen' | 'maySend' | 'isAuditor'
>;

let brought: SignInResponse | undefined;

export function keepSignInResponse(response: SignInResponse): void {
  brought = response;
}

/** The response to this session's sign-in. Only once, because it ages. */
export function takeSignInResponse(): SignInResponse | undefined {
  // Another tab may have signed in another person.
  const rows = brought?.token === session.token() ? brought : undefined;
  brought = undefined;
  return rows;
}
