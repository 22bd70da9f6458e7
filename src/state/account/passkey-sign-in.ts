// Signing in with a passkey. Only builds with `PASSKEYS` contain this code.
import { call } from '../../api/call';
import { errorMessage } from '../../api/error';
import { hasPasskeys, listsPasskeys, requestPasskey } from '../../platform/passkeys';
import { repeatWhileVisible } from '../../platform/visibility';
import { passkeyRequestSchema } from '../../shared/contract/passkeys' with { type: 'example' };
import { readBrowserToken, SIGN_IN_FAILED, signInError, signIn } from '../session';
import { requestSecondStep } from './challenge';

/** Shorter than the server accepts a challenge. */
const RENEWAL_INTERVAL_MS = 4 * 60_000;

/** The browser allows one request at a time: the button ends the request that waits for typing. */
let typingRequest: AbortController | undefined;
let pressedSignIn: Promise<void> | undefined;

const beginPasskeySignIn = () =>
  call('POST /api/auth/passkey/begin', { fallback: SIGN_IN_FAILED, like: passkeyRequestSchema });

async function sendPasskey(response: Awaited<ReturnType<typeof requestPasskey>>): Promise<void> {
  const signingIn = signIn(
    '',
    '',
    call('POST /api/auth/passkey', {
      body: { ...response, clientToken: readBrowserToken() },
      fallback: SIGN_IN_FAILED,
    }),
  );
  await (TWO_FACTOR ? signingIn.catch(requestSecondStep) : signingIn);
}

/** Signs in with the first passkey that is chosen in the list of usernames, until `signal` aborts. */
export async function offerPasskeys(signal: AbortSignal): Promise<void> {
  if (!(await listsPasskeys())) return;
  signal.addEventListener('abort', () => typingRequest?.abort());
  while (!signal.aborted) {
    await pressedSignIn;
    const currentRequest = new AbortController();
    typingRequest = currentRequest;
    const stopRenewal = repeatWhileVisible(RENEWAL_INTERVAL_MS, () => currentRequest.abort());
    try {
      const response = await requestPasskey(await beginPasskeySignIn(), currentRequest.signal);
      // One use, right or wrong: otherwise a device that answers at once would try until the limit.
      return await sendPasskey(response).catch(showError);
    } catch {
      // The offer fails silently, because a press on the button shows the error.
      if (!currentRequest.signal.aborted) return;
    } finally {
      stopRenewal();
    }
  }
}

/** Asks for a passkey now. The promise never rejects. */
export async function signInWithPasskey(): Promise<void> {
  typingRequest?.abort();
  pressedSignIn = hasPasskeys()
    ? beginPasskeySignIn()
        .then((options) => requestPasskey(options))
        .then(sendPasskey)
        .catch(showError)
    : Promise.resolve(showError(undefined, 'This browser doesn’t support passkeys.'));
  await pressedSignIn;
  pressedSignIn = undefined;
}

function showError(
  thrown: unknown,
  sentence = thrown instanceof DOMException
    ? 'No passkey was used. Try again, or sign in with your password.'
    : errorMessage(thrown, SIGN_IN_FAILED),
): void {
  signInError.value = sentence;
}
