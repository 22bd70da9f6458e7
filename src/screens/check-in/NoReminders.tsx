import { Link } from 'wouter';
import { isNotifyingAllowed } from '../../state/device/permission';
import { registrationError } from '../../state/device/registration';
import { readStored } from '../../platform/storage/storage';
import { DEVICE_STORAGE_KEY } from '../../state/session';

/** Warns that this device does not show reminders. Nothing if it does. */
export function NoReminders() {
  // Offline, a registered device cannot ask the server, and is still notified.
  const isUnregistered = registrationError.value && readStored(DEVICE_STORAGE_KEY) === null;
  if (isNotifyingAllowed.value && !isUnregistered) return null;
  return (
    <div className="note bar" data-tone="warn">
      <span>
        {isNotifyingAllowed.value
          ? 'This device isn’t registered for notifications. Keep this page open, or you won’t see when we check on you.'
          : 'Notifications are off on this device. Keep this page open, or you won’t see when we check on you.'}
      </span>
      <Link className="alone" href="/subscriptions">
        Turn on notifications
      </Link>
    </div>
  );
}
