import { useLayoutEffect, useRef, useState } from 'react';
import { errorMessage } from '../../api/error';
import {
  DOWNLOAD_FAILED,
  readExport,
  SIGN_OUT_FAILED,
  signOutEverywhere,
} from '../../state/own-account';
import { DialogForm } from '../../ui/DialogForm';
import { download } from '../../ui/download';
import { notify } from '../../ui/notices';
import { useOpen } from '../../ui/open';

/** Leaving all devices at once, and a file with all that is kept. */
export function DevicesAndData() {
  return (
    <section aria-labelledby="devices">
      <h2 id="devices">Devices and data</h2>
      <ul className="panel rows">
        <li>
          <div>
            <span>
              <b>Sign out everywhere</b>{' '}
              <span>Also here. No device is notified until you log in there again.</span>
            </span>
            <SignOutEverywhere />
          </div>
        </li>
        <li>
          <div>
            <span>
              <b>Download my data</b>{' '}
              <span>Account, topics, devices, messages and answers, as one JSON file.</span>
            </span>
            <DownloadMyData />
          </div>
        </li>
      </ul>
    </section>
  );
}

function SignOutEverywhere() {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button type="button" className="plain" onClick={() => setAsking(true)}>
        Sign out everywhere
      </button>
      {asking && (
        <DialogForm
          title="Sign out everywhere"
          action="Sign out everywhere"
          meanwhile="Signing out..."
          question="You have to log in again on all your devices, also here. Until then none of them is notified, and the app there forgets you."
          send={signOutEverywhere}
          explain={(thrown) => errorMessage(thrown, SIGN_OUT_FAILED)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

function DownloadMyData() {
  const [busy, setBusy] = useState(false);
  const letGo = useRef(() => {});
  const open = useOpen();
  useLayoutEffect(() => () => letGo.current(), []);
  async function press() {
    setBusy(true);
    try {
      const text = await readExport();
      if (!open.current) return; // nobody waits for it any more
      letGo.current();
      const file = new Blob([text], { type: 'application/json' });
      letGo.current = download(file, 'fieldbell-account.json');
    } catch (thrown) {
      notify(errorMessage(thrown, DOWNLOAD_FAILED), 'bad');
    } finally {
      if (open.current) setBusy(false);
    }
  }
  return (
    <button
      type="button"
      className="plain"
      aria-busy={busy || undefined}
      disabled={busy}
      onClick={() => void press()}
    >
      {busy ? 'Downloading...' : 'Download my data'}
    </button>
  );
}
