import { senderRoutes } from './routes/senders';
import { withStyledScreens } from './screens/shell/styled-routes';

/** A chunk that only senders load. */
export const senderShellRoutes = withStyledScreens(senderRoutes);
