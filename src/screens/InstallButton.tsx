import { useState } from 'react';
import { install, installation } from '../state/permission';
import { Dialog } from '../ui/Dialog';

/** Floats over every screen while the app can be installed: the browser's prompt, or on iOS how to do it by hand. */
export function InstallButton() {
  const [explaining, setExplaining] = useState(false);
  if (installation.value === 'none') return null;
  return (
    <>
      <button type="button" className="fab" onClick={() => (installation.value === 'prompt' ? void install() : setExplaining(true))}>
        <svg aria-hidden="true" width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2">
          <path d="M12 3v12m-5-5 5 5 5-5M4 20h16" />
        </svg>
        Install App
      </button>
      {explaining && (
        <Dialog title="Install App" onClose={() => setExplaining(false)}>
          <ol>
            <li>
              Tap the Share icon{' '}
              <svg role="img" aria-label="(a square with an arrow up)" width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2">
                <path d="M12 15V3m-4 4 4-4 4 4M8 10H5v11h14V10h-3" />
              </svg>{' '}
              in the browser’s bar.
            </li>
            <li>
              Choose <b>Add to Home Screen</b>.
            </li>
            <li>
              Tap <b>Add</b>.
            </li>
          </ol>
          <div className="bar">
            <div>
              <button type="button" className="plain" onClick={() => setExplaining(false)}>
                Close
              </button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  );
}
