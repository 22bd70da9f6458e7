import { useLocation } from 'wouter';
import { signOut } from '../../state/session';

/** Offers to sign in again before the session ends by itself (S4.8). */
export function SessionEnding() {
  const [path, navigate] = useLocation();
  // A person who presses this wants to go on, unlike one who signs out.
  const signInAgain = () =>
    void signOut().then(() =>
      navigate(`/login?next=${encodeURIComponent(path)}`, { replace: true }),
    );
  return (
    <div className="note bar" data-tone="warn" role="status">
      <span>Your session ends in 5 minutes.</span>
      <button type="button" className="plain" onClick={signInAgain}>
        Log in again
      </button>
    </div>
  );
}
