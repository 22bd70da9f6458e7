import { createRoot, hydrateRoot } from 'react-dom/client';
import { App, redirectSignedOut, isStartAtLogin } from './app';
import { withCompanySignIn } from './screens/auth/CompanySignIn';
import { restoreSession } from './state/session';

/** Set by the page's own script when a person returns from the company's sign-in. */
declare const arrival: [name: string, value: string] | undefined;
const revealPage = () => document.documentElement.removeAttribute('data-waiting');

restoreSession();
redirectSignedOut();
const root = document.getElementById('app');
if (root && isStartAtLogin()) hydrateRoot(root, <App />);
else if (root) {
  root.textContent = ''; // the build put the login form there
  createRoot(root).render(<App />);
}
if (COMPANY && typeof arrival === 'object')
  void withCompanySignIn((module) => module.completeCompanySignIn(arrival)).then(revealPage);
else revealPage();
window.onload = null; // the page's own script waits for that, else it calls for rescue
