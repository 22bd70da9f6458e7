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
  async function press() {
    setBusy(true);
    await onDone();
  }
  return (
    <>
      <Outcome tone="ok">
        Your sign-in asks for a code from now on. Put these recovery codes where your phone is not:
        each lets you in once without it. They are not shown again.
      </Outcome>
      <CopyBar what="recovery codes" lines>
        {codes.join('\n')}
      </CopyBar>
      <button type="button" aria-busy={busy || undefined} disabled={busy} onClick={press}>
        {done}
      </button>
    </>
  );
}
