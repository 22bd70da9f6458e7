import { isAdmin, isSignedIn } from '../../state/session';
import { Close, Dialog } from '../../ui/forms/Dialog';
import { SignInLink } from '../new-phone/SignInLink';

/** Steps for iOS, which has no install prompt. */
export function InstallSteps({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Install App" onClose={onClose}>
      <ol>
        <li>
          Tap the Share icon{' '}
          <svg
            role="img"
            aria-label="(a square with an arrow up)"
            width="20"
            height="20"
            viewBox="0 0 24 24"
            fill="none"
            stroke="currentColor"
            stroke-width="2"
          >
            <path d="M12 15V3m-4 4 4-4 4 4M8 10H5v11h14V10h-3" />
          </svg>{' '}
          in the browser’s bar.
        </li>
        <li>
          Choose <b>Add to Home Screen</b>.
        </li>
        <li>
          Tap <b>Add</b>.
        </li>
        <li>Open the app from the Home Screen and sign in there.</li>
      </ol>
      {isSignedIn.value && !isAdmin.value && <SignInLink />}
      <Close onClose={onClose} />
    </Dialog>
  );
}
