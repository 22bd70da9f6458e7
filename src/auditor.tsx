import { auditorRoutes } from './routes/auditors';
import { withStyledScreens } from './screens/shell/styled-routes';

/** A chunk that only auditors load. */
export const auditorShellRoutes = withStyledScreens(auditorRoutes);
