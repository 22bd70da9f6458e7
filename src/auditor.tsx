import { auditingRoutes } from './routes/auditing';
import { withScreens } from './screens/shell/routing';

/** A chunk that only auditors load. */
export const routes = withScreens(auditingRoutes);
