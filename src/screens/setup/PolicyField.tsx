import { lazy } from '../../ui/lazy';

/** `PolicySelect`, fetched when it is shown: the largest screens have no room for it. */
export const PolicyField = lazy(
  () => import('./Setup').then((module) => module.PolicySelect),
  <label>
    Escalation
    <select disabled />
  </label>,
);

/** `LazyPolicyWarning`, likewise. */
export const LazyPolicyWarning = lazy(() =>
  import('./Setup').then((module) => module.PolicyWarning),
);
