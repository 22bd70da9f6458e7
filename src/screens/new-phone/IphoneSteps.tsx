import { isIphoneBrowser } from '../../platform/install/install';
import { InstallButton } from '../shell/InstallButton';
import { LinkToPaste } from './LinkToPaste';

/**
 * Steps in an iPhone's browser: only the installed app notifies.
 * @param link signs the app in
 */
export function IphoneSteps({ link }: { link?: string }) {
  if (!isIphoneBrowser()) return null;
  return (
    <div className="note" data-tone="warn">
      <p>
        <b>On an iPhone, install the app first.</b> Only the installed app gets notifications. You
        sign in to it separately.
      </p>
      {link && <LinkToPaste>{link}</LinkToPaste>}
      <InstallButton className="plain" />
    </div>
  );
}
