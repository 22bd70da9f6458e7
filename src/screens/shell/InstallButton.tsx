import { useState } from 'react';
import { install, installation } from '../../platform/install/install';
import { lazy } from '../../ui/lazy';

const InstallSteps = lazy(() => import('./InstallSteps').then((module) => module.InstallSteps));

/** The browser's prompt, or instructions on iOS. */
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
