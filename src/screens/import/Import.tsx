import { useLayoutEffect } from 'react';
import { useLocation } from 'wouter';
import { lastImport, discardImport } from '../../state/users/importing';
import { ImportResult } from './ImportResult';
import { ImportForm } from './ImportForm';
import { InvitationList } from './InvitationList';

const IMPORT = '/admin/users/import';
const INVITATIONS = '/admin/users/invitations';

/** Importing people: form, result and invitations. One route, because they are used together. */
export function Import() {
  const [path, navigate] = useLocation();
  const isImportPath = path === IMPORT || path === INVITATIONS;
  useLayoutEffect(() => {
    if (!isImportPath) navigate('/admin/users', { replace: true });
    return () => {
      // Links stay only while the person is on these screens.
      if (location.pathname !== IMPORT && location.pathname !== INVITATIONS) discardImport();
    };
  }, []);
  if (!isImportPath) return null;
  if (path === INVITATIONS) return <InvitationList importResult={lastImport.value} />;
  return lastImport.value ? <ImportResult importResult={lastImport.value} /> : <ImportForm />;
}
