import { sendingRoutes } from './routes/sending';
import { withScreens } from './screens/shell/routing';

/** A chunk that only senders load. */
export const routes = withScreens(sendingRoutes);
