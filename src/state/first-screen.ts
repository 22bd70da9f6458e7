/** What the answer to a sign-in brings: the first screen's data, and the person's rights. */
import { session } from '../api/call';
import type { Answer } from '../shared/contract';

type SignInAnswer = Pick<
  Answer<'POST /api/auth/login'>,
  'token' | 'firstScreen' | 'maySend' | 'isAuditor'
>;

let brought: SignInAnswer | undefined;

export function keepSignInAnswer(answer: SignInAnswer): void {
  brought = answer;
}

/** The answer to this session's sign-in. Only once, because it ages. */
export function takeSignInAnswer(): SignInAnswer | undefined {
  // Another tab may have signed in another person.
  const rows = brought?.token === session.token() ? brought : undefined;
  brought = undefined;
  return rows;
}
