import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { resetApp, workerVersion } from '../../platform/maintenance';
import { installation } from '../../platform/install/install';
import { isInstallDismissed } from '../../state/device/install-dismissal';
import { isPushSupported } from '../../state/device/permission';
import { isAdmin } from '../../state/session';
import { DialogForm } from '../../ui/forms/DialogForm';
import { useKeepFocus } from '../../ui/page';
import { InstallButton } from '../shell/InstallButton';

/** Help if notifications stop: the worker's version, a reset, and a dismissed Install App. */
export function AppManagement() {
  const [version, setVersion] = useState('N/A');
  const [asking, setAsking] = useState(false);
  useEffect(() => {
    if (!isPushSupported.value) return;
    workerVersion().then(setVersion, (thrown: unknown) =>
      console.warn('The service worker did not report its version', thrown),
    );
  }, []);

  useKeepFocus(installation.value);
  return (
    <>
      {isAdmin.value && (
        <p>
          {/* Other people find the install in the menu. */}
          <Link href="/quiet-hours">Quiet hours</Link>
        </p>
      )}
      <p>If notifications stop arriving, reset the app. You’ll need to sign in again.</p>
      <div className="bar">
        {/* A template keeps the direction of its values. */}
        <small>{`Service worker version: ${version}`}</small>
        {isInstallDismissed.value && installation.value !== 'none' && (
          <InstallButton className="plain" />
        )}
        <button type="button" className="plain" onClick={() => setAsking(true)}>
          Reset App
        </button>
      </div>
      {asking && <Reset onClose={() => setAsking(false)} />}
    </>
  );
}

/** Asks first: a reset ends the session, and silences the device until the next sign-in. */
function Reset({ onClose }: { onClose: () => void }) {
  async function submit() {
    await resetApp();
    location.reload();
  }
  return (
    <DialogForm
      title="Reset App"
      action="Reset App"
      busyText="Resetting…"
      submit={submit}
      explain={explainError}
      onClose={onClose}
      question="This signs you out, deletes the app’s data on this device and restarts the app. You won’t receive notifications here until you sign in again. Your topics stay the same."
    />
  );
}

const explainError = (thrown: unknown): string =>
  `Failed to reset app: ${thrown instanceof Error ? thrown.message : 'unknown error'}`;
