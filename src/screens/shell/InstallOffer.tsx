import { useLocation } from 'wouter';
import { CHECK_IN_PAGE } from '../../shared/check-in-page';
import { dismissInstall, isInstallDismissed } from '../../state/device/install-dismissal';
import { useKeepFocus } from '../../ui/page';
import { InstallButton } from './InstallButton';

/** At the end of the page, where it covers nothing; never beside the answers of a check-in. */
export function InstallOffer() {
  const [path] = useLocation();
  useKeepFocus(isInstallDismissed.value);
  if (isInstallDismissed.value || path === CHECK_IN_PAGE) return null;
  return (
    <div>
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
    </div>
  );
}
