import { guessDeviceType } from '../../platform/push/notifications';

/** How to allow notifications again in each kind of browser. The steps for this device are open. */
export function BlockedSteps() {
  const deviceType = guessDeviceType();
  return (
    <>
      <p className="note" data-tone="bad" role="status">
        Your browser blocks notifications. Only you can allow them again. Follow the steps for your
        device, then come back to this page.
      </p>
      <div className="panel">
        <details open={deviceType === 'android'}>
          <summary>Android Chrome</summary>
          <ol>
            <li>
              Tap the icon to the left of the address, then <b>Permissions</b>.
            </li>
            <li>
              Turn <b>Notifications</b> on. If there’s no such switch, tap <b>Reset permissions</b>.
            </li>
            <li>
              Come back to this page. If you see <b>Enable Notifications</b>, tap it.
            </li>
          </ol>
        </details>
        <details open={deviceType === 'ios'}>
          <summary>iPhone/iPad Safari</summary>
          <ol>
            <li>Add the app to your Home Screen and open it from there.</li>
            <li>
              Open <b>Settings</b>, then <b>Notifications</b>, then <b>Fieldbell</b>.
            </li>
            <li>
              Turn on <b>Allow Notifications</b>.
            </li>
          </ol>
        </details>
        <details open={deviceType === 'web'}>
          <summary>Desktop browsers</summary>
          <ol>
            <li>Click the icon to the left of the address.</li>
            <li>
              Set <b>Notifications</b> to <b>Allow</b>.
            </li>
            <li>Come back to this page.</li>
          </ol>
        </details>
        <details>
          <summary>Other browsers</summary>
          <p>
            Look for this site in your browser’s settings under Privacy or Site permissions, and
            allow notifications.
          </p>
        </details>
      </div>
    </>
  );
}
