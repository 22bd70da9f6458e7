import { useState } from 'react';
import { errorMessage } from '../../api/error';
import { copyText } from '../../ui/clipboard';
import { lazy } from '../../ui/lazy';
import { notify } from '../../ui/notices';
import { useIsMounted } from '../../ui/forms/use-is-mounted';
import { countedNoun } from '../../ui/lists/Pager';
import type { ListPages } from './use-pages';

const ManualCopyDialog = lazy(() =>
  import('./ManualCopyDialog').then((module) => module.ManualCopyDialog),
);

interface Props<Row> {
  list: ListPages<Row>;
  /** The row's name; empty for a person without one. */
  nameOf: (row: Row) => string;
  /** Reads the names of all pages, up to `max`. */
  read: () => Promise<string[]>;
  max?: number;
  /** Shown if reading fails. */
  failed: string;
}

/** Copies the names of everyone in the list. */
export function CopyNames<Row>({
  list: { shown },
  nameOf,
  read,
  max = Infinity,
  failed,
}: Props<Row>) {
  const [busy, setBusy] = useState(false);
  const [byHand, setByHand] = useState('');
  const isMounted = useIsMounted();
  if (!shown?.total) return null;
  const { rows, total } = shown;
  async function copyNames() {
    setBusy(true);
    try {
      // Skip the request if all are on the page: some browsers do not copy after a wait.
      const names = rows.length === total ? rows.map(nameOf).filter(Boolean) : await read();
      const copied = await copyText(names.join('\n'));
      if (!isMounted.current) return;
      if (copied) notify(`${countedNoun(names.length, 'name')} copied.`);
      else setByHand(names.join('\n'));
    } catch (thrown) {
      if (isMounted.current) notify(errorMessage(thrown, failed), 'bad');
    } finally {
      setBusy(false);
    }
  }
  return (
    <>
      <button
        type="button"
        className="quiet"
        aria-busy={busy || undefined}
        disabled={busy}
        onClick={() => void copyNames()}
      >
        {total === 1
          ? 'Copy this name'
          : total > max
            ? `Copy the first ${countedNoun(max, 'name')}`
            : `Copy these ${countedNoun(total, 'name')}`}
      </button>
      {byHand && (
        <ManualCopyDialog title="Names" text={byHand} onClose={() => setByHand('')}>
          Copy the selected names.
        </ManualCopyDialog>
      )}
    </>
  );
}
