import { connected } from '../../platform/connection';

/** Says without a network why nothing can be tested. Since when the board is, the strip says. */
export const Offline = () => (
  <p className="chip" data-tone="warn" role="status" hidden={connected.value}>
    {!connected.value && 'You can test devices when you are connected again.'}
  </p>
);
