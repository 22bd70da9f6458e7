import { useState } from 'react';

/** @param show never rejects */
export function ShowOlderButton({ show }: { show: () => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  return (
    <button
      type="button"
      className="plain"
      aria-busy={busy || undefined}
      disabled={busy}
      onClick={() => {
        setBusy(true);
        void show().then(() => setBusy(false));
      }}
    >
      Show older
    </button>
  );
}
