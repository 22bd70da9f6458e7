import { senderRoutes } from './routes/senders';
import { withStyledScreens } from './screens/shell/routing';

/** A chunk that only senders load. */
export const senderShellRoutes = withStyledScreens(senderRoutes);
