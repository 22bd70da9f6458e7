import { useLocation } from 'wouter';
import { lazy } from '../../ui/lazy';
import { Skeleton } from '../../ui/page';
import { Policies } from './policies/Policies';
import { Webhooks } from './webhooks/Webhooks';

export { PolicySelect, PolicyWarning } from './policies/PolicySelect';

const Audit = lazy(() => import('./audit/Audit').then((module) => module.Audit), <Skeleton />);

/** The setup screens share a chunk: few open one, and then see all. */
export function Setup() {
  const [path] = useLocation();
  if (path.startsWith('/admin/audit')) return <Audit />;
  return path.startsWith('/admin/webhooks') ? <Webhooks /> : <Policies />;
}
