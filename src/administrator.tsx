import { adminRoutes } from './routes/admin';
import { withScreens } from './screens/shell/routing';
import { ShortcutKeys } from './screens/shortcuts/ShortcutKeys';
import { SignedIn } from './signed-in';

const routes = withScreens(adminRoutes);

/** A chunk that only administrators load. */
export const Administrator = () => (
  <>
    <SignedIn more={routes} />
    <ShortcutKeys />
  </>
);
