import { useLocation } from 'wouter';
import { signOut } from '../../state/session';

/** Offers to sign in again before the session expires (S4.8). */
export function SessionEnding() {
  const [path, navigate] = useLocation();
  // Unlike Logout, this returns to the same page.
  const signInAgain = () =>
    void signOut().then(() =>
      navigate(`/login?next=${encodeURIComponent(path)}`, { replace: true }),
    );
  return (
    <div className="note bar" data-tone="warn" role="status">
      <span>Your session expires in less than 5 minutes.</span>
      <button type="button" className="plain" onClick={signInAgain}>
        Sign in again
      </button>
    </div>
  );
}
