/** Runs in the build: renders the login form's markup for index.html. */
import { renderToString } from 'preact-render-to-string';
import { Login } from './screens/auth/Login';

export const markup = renderToString(<Login />);
