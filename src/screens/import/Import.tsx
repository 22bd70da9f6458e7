import { useLayoutEffect } from 'react';
import { useLocation } from 'wouter';
import { lastImport, forgetImport } from '../../state/users/importing';
import { Done } from './Done';
import { ImportForm } from './ImportForm';
import { Invitations } from './Invitations';

const IMPORT = '/admin/users/import';
const INVITATIONS = '/admin/users/invitations';

/**
 * Adding many people: the form, what came of it, and their invitations. One file and one route: who
 * opens one of them sees all.
 */
export function Import() {
  const [path, navigate] = useLocation();
  const isKnown = path === IMPORT || path === INVITATIONS;
  useLayoutEffect(() => {
    if (!isKnown) navigate('/admin/users', { replace: true });
    return () => {
      // The links stay between these screens alone.
      if (location.pathname !== IMPORT && location.pathname !== INVITATIONS) forgetImport();
    };
  }, []);
  if (!isKnown) return null;
  if (path === INVITATIONS) return <Invitations imported={lastImport.value} />;
  return lastImport.value ? <Done imported={lastImport.value} /> : <ImportForm />;
}
