import { lazy } from '../../ui/lazy';

/** A registration link to be copied by hand. Most browsers let the app copy, and never need it. */
export const RegistrationLink = lazy(() =>
  import('./LinkByHand').then((module) => module.LinkByHand),
);
