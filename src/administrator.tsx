import { adminRoutes } from './routes/admin';
import { withStyledScreens } from './screens/shell/styled-routes';
import { ShortcutKeys } from './screens/shortcuts/ShortcutKeys';
import { SignedIn } from './signed-in';

const routes = withStyledScreens(adminRoutes);

/** A chunk that only administrators load. */
export const Administrator = () => (
  <>
    <SignedIn more={routes} />
    <ShortcutKeys />
  </>
);
