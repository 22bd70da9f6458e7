import { useEffect, useState } from 'react';
import { signInError } from '../../state/session';

const load = () => import('../../state/account/passkey-sign-in');

/** Beside the password, and in the browser's list of usernames. */
export function PasskeySignIn({ ready }: { ready: boolean }) {
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const unmountSignal = new AbortController();
    // The offer stays away if its code cannot be loaded; the button shows the reason.
    load().then(
      (module) => module.offerPasskeys(unmountSignal.signal),
      () => {},
    );
    return () => unmountSignal.abort();
  }, []);
  async function handleClick() {
    setBusy(true);
    try {
      await (await load()).signInWithPasskey();
    } catch {
      signInError.value = 'Part of the app couldn’t be loaded. Try again.';
    }
    setBusy(false);
  }
  return (
    <button
      type="button"
      className="plain"
      aria-busy={busy || undefined}
      disabled={!ready || busy}
      onClick={() => void handleClick()}
    >
      Sign in with a passkey
    </button>
  );
}
