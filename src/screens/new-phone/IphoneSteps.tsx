import { isIphoneBrowser } from '../../platform/install/install';
import { InstallButton } from '../shell/InstallButton';
import { CopyBar } from '../../ui/CopyBar';

/** For the browser of an iPhone: only the installed app notifies. @param link signs it in */
export function IphoneSteps({ link }: { link?: string }) {
  if (!isIphoneBrowser()) return null;
  return (
    <div className="note" data-tone="warn">
      <p>
        <b>On an iPhone, install the app first.</b> Only the installed app gets notifications, and
        it has its own sign-in.
      </p>
      {link && (
        <>
          <p>
            Copy this link. In the installed app, press <b>Use a sign-in link</b> and paste it.
          </p>
          <CopyBar what="link">{link}</CopyBar>
        </>
      )}
      <InstallButton className="plain" />
    </div>
  );
}
