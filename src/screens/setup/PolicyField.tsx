import { lazy } from '../../ui/lazy';

/** Loaded when shown: the largest screens have no room for it. */
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
