// Signing in with a passkey. Only builds with `PASSKEYS` contain this code.
import { call } from '../../api/call';
import { errorMessage } from '../../api/error';
import { hasPasskeys, listsPasskeys, requestPasskey } from '../../platform/passkeys';
import { repeatWhileVisible } from '../../platform/visibility';
import { passkeyRequest } from '../../shared/contract/passkeys' with { type: 'example' };
import { readClientToken, SIGN_IN_FAILED, signInError, signIn } from '../session';
import { requestSecondStep } from './challenge';

/** Shorter than the server accepts a challenge. */
const RENEW_MS = 4 * 60_000;

/** The browser allows one request at a time: the button ends the one that waits for typing. */
let typing: AbortController | undefined;
let pressedSignIn: Promise<void> | undefined;

const begin = () =>
  call('POST /api/auth/passkey/begin', { fallback: SIGN_IN_FAILED, like: passkeyRequest });

async function enter(response: Awaited<ReturnType<typeof requestPasskey>>): Promise<void> {
  const signingIn = signIn(
    '',
    '',
    call('POST /api/auth/passkey', {
      body: { ...response, clientToken: readClientToken() },
      fallback: SIGN_IN_FAILED,
    }),
  );
  await (TWO_FACTOR ? signingIn.catch(requestSecondStep) : signingIn);
}

/** Signs in with the first passkey that is chosen in the list of usernames, until `leaving`. */
export async function offerPasskeys(leaving: AbortSignal): Promise<void> {
  if (!(await listsPasskeys())) return;
  leaving.addEventListener('abort', () => typing?.abort());
  while (!leaving.aborted) {
    await pressedSignIn;
    const round = new AbortController();
    typing = round;
    const stop = repeatWhileVisible(RENEW_MS, () => round.abort());
    try {
      const response = await requestPasskey(await begin(), round.signal);
      // One use, right or wrong: otherwise a device that answers at once would try until the limit.
      return await enter(response).catch(say);
    } catch {
      // The offer fails silently, because a press on the button shows the error.
      if (!round.signal.aborted) return;
    } finally {
      stop();
    }
  }
}

/** Asks for a passkey now. The promise never rejects. */
export async function signInWithPasskey(): Promise<void> {
  typing?.abort();
  pressedSignIn = hasPasskeys()
    ? begin()
        .then((options) => requestPasskey(options))
        .then(enter)
        .catch(say)
    : Promise.resolve(say(undefined, 'This browser doesn’t support passkeys.'));
  await pressedSignIn;
  pressedSignIn = undefined;
}

function say(
  thrown: unknown,
  sentence = thrown instanceof DOMException
    ? 'No passkey was used. Try again, or sign in with your password.'
    : errorMessage(thrown, SIGN_IN_FAILED),
): void {
  signInError.value = sentence;
}
