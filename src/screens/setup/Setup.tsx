import { useLocation } from 'wouter';
import { lazy } from '../../ui/lazy';
import { Skeleton } from '../../ui/page';
import { Policies } from './policies/Policies';
import { Webhooks } from './webhooks/Webhooks';

export { PolicySelect, PolicyWarning } from './policies/PolicySelect';

const Audit = lazy(() => import('./audit/Audit').then((module) => module.Audit), <Skeleton />);

/**
 * What is set up once, a screen for each: one file, since few open it and then see all of it. The
 * audit log, which has a list of its own, comes when it is opened.
 */
export function Setup() {
  const [path] = useLocation();
  if (path.startsWith('/admin/audit')) return <Audit />;
  return path.startsWith('/admin/webhooks') ? <Webhooks /> : <Policies />;
}
