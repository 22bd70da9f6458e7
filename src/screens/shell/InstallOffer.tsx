import { dismiss, dismissed } from '../../state/device/put-off';
import { useFocusKept } from '../../ui/page';
import { InstallButton } from './InstallButton';

export function InstallOffer() {
  useFocusKept(dismissed.value);
  if (dismissed.value) return null;
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
