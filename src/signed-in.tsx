import { signedInRoutes } from './routes/signed-in';
import { type ShellRoute, withScreens } from './screens/shell/routing';
import { Shell } from './screens/shell/Shell';
// Many screens share these few bytes, which are no files of their own: the worker lists each file.
import './platform/plural';
import './platform/with-timeout';
import './screens/compose/message-lengths';
import './state/inbox/answer-tone';
import './state/messages/needs-review';
import './ui/forms/use-is-mounted';

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
