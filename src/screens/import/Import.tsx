import { useLayoutEffect } from 'react';
import { useLocation } from 'wouter';
import { lastImport, discardImport } from '../../state/users/importing';
import { ImportResult } from './ImportResult';
import { ImportForm } from './ImportForm';
import { InvitationList } from './InvitationList';

const IMPORT_PATH = '/admin/users/import';
const INVITATIONS_PATH = '/admin/users/invitations';

/** Importing people: form, result and invitations. One route, because they are used together. */
export function Import() {
  const [path, navigate] = useLocation();
  const isImportPath = path === IMPORT_PATH || path === INVITATIONS_PATH;
  useLayoutEffect(() => {
    if (!isImportPath) navigate('/admin/users', { replace: true });
    return () => {
      // Links stay only while the person is on these screens.
      if (location.pathname !== IMPORT_PATH && location.pathname !== INVITATIONS_PATH)
        discardImport();
    };
  }, []);
  if (!isImportPath) return null;
  if (path === INVITATIONS_PATH) return <InvitationList importResult={lastImport.value} />;
  return lastImport.value ? <ImportResult importResult={lastImport.value} /> : <ImportForm />;
}
