import { Link } from 'wouter';
import { isNotifyingAllowed } from '../../state/device/permission';
import { registrationError } from '../../state/device/registration';

/** Warns that this device does not show reminders. Nothing if it does. */
export function NoReminders() {
  if (isNotifyingAllowed.value && !registrationError.value) return null;
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
