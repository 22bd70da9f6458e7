import { useState } from 'react';
import { dismiss, dismissed, install, installation } from '../../state/installation';
import { lazy } from '../../ui/lazy';
import { useFocusKept } from '../../ui/page';

const InstallSteps = lazy(() => import('./InstallSteps').then((module) => module.InstallSteps));

/** The browser's prompt, or on iOS how to do it by hand. */
export function InstallButton({ className }: { className?: string }) {
  const [explaining, setExplaining] = useState(false);
  return (
    <>
      <button
        type="button"
        className={className}
        onClick={() => (installation.value === 'prompt' ? void install() : setExplaining(true))}
      >
        Install App
      </button>
      {explaining && <InstallSteps onClose={() => setExplaining(false)} />}
    </>
  );
}

/** Floats over every screen while the app can be installed, unless the person has put it off. */
export function InstallOffer() {
  useFocusKept(dismissed.value);
  if (installation.value === 'none' || dismissed.value) return null;
  return (
    <div className="fab panel">
      <InstallButton />
      <button
        type="button"
        className="quiet"
        aria-label="Not now: hide Install App"
        onClick={dismiss}
      >
        Not now
      </button>
    </div>
  );
}
