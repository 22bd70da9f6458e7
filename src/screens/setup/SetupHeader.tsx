import { Link, useLocation } from 'wouter';
import { Heading } from '../../ui/page';

const SETUP_VIEWS = [
  ['/admin/policies', 'Escalation'],
  ['/admin/webhooks', 'Webhooks'],
  ['/admin/audit', 'Audit log'],
] as const;

/** The setup screens' common head. */
export function SetupHeader() {
  const [path] = useLocation();
  const currentView = SETUP_VIEWS.find(([to]) => path.startsWith(to))?.[1] ?? '';
  return (
    <>
      <Heading title={currentView}>Setup</Heading>
      <nav className="views" aria-label="Setup">
        {SETUP_VIEWS.map(([to, name]) => (
          <Link key={to} href={to} aria-current={name === currentView ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
    </>
  );
}
