import { isConnected } from '../../platform/connection';

export const OfflineDraft = () => (
  <p className="chip offline" data-tone="warn" role="status" hidden={isConnected.value}>
    {!isConnected.value &&
      'You’re offline. Your draft stays here. You can send it when you’re back online.'}
  </p>
);
