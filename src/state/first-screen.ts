/** What a sign-in brings along for the first screen. */
import { session } from '../api/call';
import type { FirstScreen } from '../shared/contract';

/** The token of the last sign-in here, and what the server told with it. */
let brought: { token: string; firstScreen?: FirstScreen } | undefined;

/** Keeps what the answer to a sign-in brought. */
export function bring(answer: { token: string; firstScreen?: FirstScreen }): void {
  brought = answer;
}

/** What the sign-in of this session brought along for its first screen. Once: it grows old. */
export function takeFirstScreen(): FirstScreen | undefined {
  // Another tab may have signed somebody else in meanwhile.
  const mine = brought?.token === session.token() ? brought?.firstScreen : undefined;
  brought = undefined;
  return mine;
}
