import { useLocation } from 'wouter';
import { Audit } from './Audit';
import { Policies } from './Policies';
import { Webhooks } from './Webhooks';

export { PolicySelect } from './PolicySelect';

/** What is set up once, a screen for each: one file, since few open it and then see all of it. */
export function Setup() {
  const [path] = useLocation();
  if (path.startsWith('/admin/audit')) return <Audit />;
  return path.startsWith('/admin/webhooks') ? <Webhooks /> : <Policies />;
}
