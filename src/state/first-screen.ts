/** The first screen's data, sent with the answer to a sign-in. */
import { session } from '../api/call';
import type { FirstScreen } from '../shared/contract';

let brought: { token: string; firstScreen?: FirstScreen } | undefined;

export function keepFirstScreen(answer: { token: string; firstScreen?: FirstScreen }): void {
  brought = answer;
}

/** The data sent with this session's sign-in. Only once, because it ages. */
export function takeFirstScreen(): FirstScreen | undefined {
  // Another tab may have signed in another person.
  const mine = brought?.token === session.token() ? brought?.firstScreen : undefined;
  brought = undefined;
  return mine;
}
