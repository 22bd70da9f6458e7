import { useLocation } from 'wouter';
import { CHECK_IN_PAGE } from '../../shared/check-in-page';
import { dismissInstall, isInstallDismissed } from '../../state/device/install-dismissal';
import { useKeepFocus } from '../../ui/page';
import { InstallButton } from './InstallButton';

/** The offer must not cover the answers of a check-in. */
export function InstallOffer() {
  const [path] = useLocation();
  useKeepFocus(isInstallDismissed.value);
  if (isInstallDismissed.value || path === CHECK_IN_PAGE) return null;
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
