import { dismissInstall, isInstallDismissed } from '../../state/device/install-dismissal';
import { useFocusKept } from '../../ui/page';
import { InstallButton } from './InstallButton';

export function InstallOffer() {
  useFocusKept(isInstallDismissed.value);
  if (isInstallDismissed.value) return null;
  return (
    <div className="fab panel">
      <InstallButton />
      <button
        type="button"
        className="quiet"
        aria-label="Not now: hide Install App"
        onClick={dismissInstall}
      >
        Not now
      </button>
    </div>
  );
}
