import { useState } from 'react';
import { install, installation } from '../state/permission';
import { lazy } from '../ui/lazy';

const InstallSteps = lazy(() => import('./InstallSteps').then((module) => module.InstallSteps));

/** Floats over every screen while the app can be installed: the browser's prompt, or on iOS how to do it by hand. */
export function InstallButton() {
  const [explaining, setExplaining] = useState(false);
  if (installation.value === 'none') return null;
  return (
    <>
      <button type="button" className="fab" onClick={() => (installation.value === 'prompt' ? void install() : setExplaining(true))}>
        <svg aria-hidden="true" width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2">
          <path d="M12 3v12m-5-5 5 5 5-5M4 20h16" />
        </svg>
        Install App
      </button>
      {explaining && <InstallSteps onClose={() => setExplaining(false)} />}
    </>
  );
}
