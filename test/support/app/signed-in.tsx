import { Administrator } from '../../../src/administrator';
import { SignedIn as OtherUsers } from '../../../src/signed-in';
import { isAdmin } from '../../../src/state/session';

/** The signed-in part, as the app draws it for the person who is signed in. */
export const SignedInRoutes = () => (isAdmin.value ? <Administrator /> : <OtherUsers />);
