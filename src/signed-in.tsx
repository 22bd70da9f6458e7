import { signedInRoutes } from './routes/signed-in';
import { type ShellRoute, withScreens } from './screens/shell/routing';
import { Shell } from './screens/shell/Shell';
// Many screens share these few bytes, which are no files of their own: the worker lists each file.
import './platform/connection';
import './platform/plural';
import './platform/visibility';
import './platform/with-timeout';
import './screens/compose/message-lengths';
import './screens/device-test/device-word';
import './shared/check-in-page';
import './state/inbox/answer-tone';
import './state/messages/needs-review';
import './state/shown-as-of';
import './ui/clipboard';
import './ui/download';
import './ui/forms/use-is-mounted';
import './ui/lists/Search';
import './ui/values/When';

const routes = withScreens(signedInRoutes);
const grantedRoutes = {
  send: () => import('./sender').then((module) => module.senderShellRoutes),
  audit: () => import('./auditor').then((module) => module.auditorShellRoutes),
};

/**
 * The signed-in part, which loads during a sign-in.
 * @param more routes before the common ones
 */
export const SignedIn = ({ more = [] }: { more?: readonly ShellRoute[] }) => (
  <Shell routes={[...more, ...routes]} granted={grantedRoutes} />
);
