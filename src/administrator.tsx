import { adminRoutes } from './routes/admin';
import { withScreens } from './screens/shell/routing';
import { SignedIn } from './signed-in';

const routes = withScreens(adminRoutes);

/** The signed-in part with the routes of administrators: a file of its own, which they alone fetch. */
export const Administrator = () => <SignedIn more={routes} />;
