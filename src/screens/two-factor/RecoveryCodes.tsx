import { useState } from 'react';
import { CopyBar } from '../../ui/CopyBar';
import { Outcome } from '../../ui/Outcome';

/** The recovery codes, shown only once. */
export function RecoveryCodes({
  codes,
  onDone,
  done,
}: {
  codes: readonly string[];
  onDone: () => unknown;
  done: string;
}) {
  const [busy, setBusy] = useState(false);
  async function handleClick() {
    setBusy(true);
    await onDone();
  }
  return (
    <>
      <Outcome tone="ok">
        You need a code to sign in. Keep these recovery codes somewhere other than your phone. Each
        one lets you sign in once without your phone. They won’t be shown again.
      </Outcome>
      <CopyBar what="codes" lines>
        {codes.join('\n')}
      </CopyBar>
      <button type="button" aria-busy={busy || undefined} disabled={busy} onClick={handleClick}>
        {done}
      </button>
    </>
  );
}
