import { senderRoutes } from './routes/senders';
import { withScreens } from './screens/shell/routing';

/** A chunk that only senders load. */
export const senderShellRoutes = withScreens(senderRoutes);
