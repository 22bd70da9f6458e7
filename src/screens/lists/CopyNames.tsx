import { useState } from 'react';
import { errorMessage } from '../../api/error';
import { copy } from '../../ui/clipboard';
import { lazy } from '../../ui/lazy';
import { notify } from '../../ui/notices';
import { useOpen } from '../../ui/forms/open';
import { amount } from '../../ui/lists/Pager';
import type { Pages } from './pages';

const ByHand = lazy(() => import('./ByHand').then((module) => module.ByHand));

interface Props<Row> {
  list: Pages<Row>;
  /** Empty for somebody who has none. */
  nameOf: (row: Row) => string;
  /** All names that the list shows, on whatever page they are; `most` of them where it says so. */
  read: () => Promise<string[]>;
  most?: number;
  /** What to say if they cannot be read. */
  failed: string;
}

/** Copies the names of all people that the list shows. */
export function CopyNames<Row>({
  list: { shown },
  nameOf,
  read,
  most = Infinity,
  failed,
}: Props<Row>) {
  const [busy, setBusy] = useState(false);
  const [byHand, setByHand] = useState('');
  const open = useOpen();
  if (!shown?.total) return null;
  const { rows, total } = shown;
  async function press() {
    setBusy(true);
    try {
      // Not asked for where they are all on the page: some browsers let nobody copy after a wait.
      const names = rows.length === total ? rows.map(nameOf).filter(Boolean) : await read();
      const copied = await copy(names.join('\n'));
      if (!open.current) return;
      if (copied) notify(`${amount(names.length, 'name')} copied.`);
      else setByHand(names.join('\n'));
    } catch (thrown) {
      if (open.current) notify(errorMessage(thrown, failed), 'bad');
    } finally {
      setBusy(false);
    }
  }
  const which =
    total > most ? `the first ${amount(most, 'name')}` : `these ${amount(total, 'name')}`;
  return (
    <>
      <button
        type="button"
        className="plain full"
        aria-busy={busy || undefined}
        disabled={busy}
        onClick={() => void press()}
      >
        Copy {total === 1 ? 'this name' : which}
      </button>
      {byHand && (
        <ByHand title="Names" text={byHand} onClose={() => setByHand('')}>
          The names are selected: copy them from here.
        </ByHand>
      )}
    </>
  );
}
