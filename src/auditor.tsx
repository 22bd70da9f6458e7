import { auditorRoutes } from './routes/auditors';
import { withScreens } from './screens/shell/routing';

/** A chunk that only auditors load. */
export const auditorShellRoutes = withScreens(auditorRoutes);
