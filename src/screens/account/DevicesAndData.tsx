import { useState } from 'react';
import { errorMessage } from '../../api/error';
import {
  ACCOUNT_DOWNLOAD_FAILED,
  readExport,
  SIGN_OUT_EVERYWHERE_FAILED,
  signOutEverywhere,
} from '../../state/account/own';
import { DialogForm } from '../../ui/forms/DialogForm';
import { Download } from '../lists/Download';

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
            <Download
              name="fieldbell-account.json"
              read={readExport}
              failed={ACCOUNT_DOWNLOAD_FAILED}
              meanwhile="Downloading..."
              look="plain"
            >
              Download my data
            </Download>
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
          explain={(thrown) => errorMessage(thrown, SIGN_OUT_EVERYWHERE_FAILED)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
