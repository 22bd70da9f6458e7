import { signedInRoutes } from './routes';
import { Shell } from './screens/shell/Shell';
import { lazy } from './ui/lazy';
import { Skeleton } from './ui/page';

const waiting = <Skeleton />;
const routes = signedInRoutes.map((route) => ({
  ...route,
  Screen: 'load' in route ? lazy(route.load, waiting) : route.screen,
}));

/** The signed-in part: a file of its own, which comes while somebody signs in. */
export const SignedIn = () => <Shell routes={routes} />;
