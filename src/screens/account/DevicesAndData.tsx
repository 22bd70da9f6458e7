import { useEffect, useState } from 'react';
import { errorMessage } from '../../api/error';
import {
  ACCOUNT_DOWNLOAD_FAILED,
  readExport,
  SIGN_OUT_EVERYWHERE_FAILED,
  signOutEverywhere,
} from '../../state/account/own-account';
import { ownRights } from '../../state/rights';
import { isAdmin } from '../../state/session';
import { DialogForm } from '../../ui/forms/DialogForm';
import { Download } from '../lists/Download';
import { UseAnotherPhone } from '../notifications/Settings';

export function DevicesAndData() {
  return (
    <section aria-labelledby="devices">
      <h2 id="devices">Devices and data</h2>
      <ul className="panel rows">
        {!isAdmin.value && (
          <li>
            <UseAnotherPhone />
          </li>
        )}
        <li>
          <div>
            <span>
              <b>Sign out everywhere</b>{' '}
              <span>
                This signs you out on all devices, including this one. They won’t receive
                notifications until you sign in again.
              </span>
            </span>
            <SignOutEverywhere />
          </div>
        </li>
        <li>
          <div>
            <span>
              <b>Download my data</b>{' '}
              <span>
                This downloads all data stored about you, such as your topics, devices and messages,
                as one JSON file.
              </span>
            </span>
            <Download
              name="fieldbell-account.json"
              read={readExport}
              failed={ACCOUNT_DOWNLOAD_FAILED}
              busyText="Downloading…"
              variant="plain"
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
          busyText="Signing out…"
          question="You’ll be signed out on all your devices, including this one. They won’t receive notifications until you sign in again. The app removes your data from each device the next time it starts."
          submit={signOutEverywhere}
          explain={(thrown) => errorMessage(thrown, SIGN_OUT_EVERYWHERE_FAILED)}
          onClose={() => setAsking(false)}
        >
          {ownRights.value.includes('check-in') && <CheckInKeepsRunning />}
        </DialogForm>
      )}
    </>
  );
}

/** Shows nothing without a check-in, or while that is unknown. */
function CheckInKeepsRunning() {
  const [isRunning, setIsRunning] = useState(false);
  useEffect(() => {
    void import('../check-in/CheckInScreen')
      .then((module) => module.isCheckInRunning())
      .then(setIsRunning, () => {});
  }, []);
  if (!isRunning) return null;
  return (
    <p className="note" data-tone="warn" role="status">
      <b>Your check-in is still running.</b> Signing out doesn’t end the check-in. We can’t remind
      you afterwards.
    </p>
  );
}
