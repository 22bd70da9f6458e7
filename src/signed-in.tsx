import { signedInRoutes } from './routes/signed-in';
import { type ShellRoute, withScreens } from './screens/shell/routing';
import { Shell } from './screens/shell/Shell';

const routes = withScreens(signedInRoutes);

/**
 * The signed-in part: a file of its own, which comes while somebody signs in. @param more routes
 * that come before everybody's
 */
export const SignedIn = ({ more = [] }: { more?: readonly ShellRoute[] }) => (
  <Shell routes={[...more, ...routes]} />
);
