import { useEffect, useState } from 'react';
import { reset, workerVersion } from '../state/maintenance';
import { supported } from '../state/permission';

/** The last resort of a person whose notifications stopped: which worker runs, and a fresh start. */
export function AppManagement() {
  const [version, setVersion] = useState('N/A');
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (!supported.value) return;
    workerVersion().then(setVersion, (thrown: unknown) => console.warn('The worker did not tell its version', thrown));
  }, []);

  async function press() {
    setBusy(true);
    setError('');
    try {
      await reset();
      location.reload();
    } catch (thrown) {
      setError(`Failed to reset app: ${thrown instanceof Error ? thrown.message : 'unknown error'}`);
      setBusy(false);
    }
  }

  return (
    <>
      <p>If notifications stop arriving, reset the app. You will need to log in again.</p>
      {error && (
        <p className="note" data-tone="bad" role="alert">
          {error}
        </p>
      )}
      <div className="bar">
        <small>Service worker version: {version}</small>
        <button type="button" className="plain" aria-busy={busy || undefined} disabled={busy} onClick={() => void press()}>
          Reset App
        </button>
      </div>
    </>
  );
}
