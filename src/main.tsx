import { createRoot, hydrateRoot } from 'react-dom/client';
import { App, guard, startsAtLogin } from './app';
import { restore } from './state/session';

restore();
guard();
const root = document.getElementById('app');
if (root && startsAtLogin()) hydrateRoot(root, <App />);
else if (root) {
  root.textContent = ''; // the build put the login form there
  createRoot(root).render(<App />);
}
document.documentElement.removeAttribute('data-waiting');
window.onload = null; // the page's own script waits for that, else it calls for rescue
