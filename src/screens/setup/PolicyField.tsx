import { lazy } from '../../ui/lazy';

/** The field loads when it is shown, because the largest screens have no room for its code. */
export const PolicyField = lazy(
  () => import('./Setup').then((module) => module.PolicySelect),
  <label>
    Escalation
    <select disabled />
  </label>,
);

export const LazyPolicyWarning = lazy(() =>
  import('./Setup').then((module) => module.PolicyWarning),
);
