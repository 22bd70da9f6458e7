/**
 * Runs in the build: the login form's markup for index.html, from the same component that takes it
 * over later.
 */
import { renderToString } from 'preact-render-to-string';
import { Login } from './screens/auth/Login';

export const markup = renderToString(<Login />);
