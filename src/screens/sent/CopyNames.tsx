import { useEffect, useRef, useState } from 'react';
import { errorMessage } from '../../api/error';
import type { Recipient } from '../../shared/contract';
import { readNames, RECIPIENTS_FAILED, type Group } from '../../state/sent';
import { copy } from '../../ui/clipboard';
import { Close, Dialog, useOpen } from '../../ui/Dialog';
import { notify } from '../../ui/notices';
import { amount } from '../../ui/Pager';
import type { Pages } from '../lists/pages';

interface Props {
  messageId: string;
  group: Group;
  list: Pages<Recipient>;
}

/** Copies the names of all people that the list shows, on whatever page they are. */
export function CopyNames({ messageId, group, list: { shown, query } }: Props) {
  const [busy, setBusy] = useState(false);
  const [byHand, setByHand] = useState('');
  const open = useOpen();
  if (!shown?.total) return null;
  const { rows, total } = shown;
  async function press() {
    setBusy(true);
    try {
      // Not asked for where they are all on the page: some browsers let nobody copy after a wait.
      const names =
        rows.length === total
          ? rows.flatMap(({ user }) => user?.username ?? [])
          : await readNames(messageId, group, query);
      const copied = await copy(names.join('\n'));
      if (!open.current) return;
      if (copied) notify(`${amount(names.length, 'name')} copied.`);
      else setByHand(names.join('\n'));
    } catch (thrown) {
      if (open.current) notify(errorMessage(thrown, RECIPIENTS_FAILED), 'bad');
    } finally {
      setBusy(false);
    }
  }
  return (
    <>
      <button
        type="button"
        className="plain full"
        aria-busy={busy || undefined}
        disabled={busy}
        onClick={() => void press()}
      >
        {total === 1 ? 'Copy this name' : `Copy these ${amount(total, 'name')}`}
      </button>
      {byHand && <Names text={byHand} onClose={() => setByHand('')} />}
    </>
  );
}

/** Where the browser does not let the app copy: the names, selected, to be copied by hand. */
function Names({ text, onClose }: { text: string; onClose: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <Dialog title="Names" onClose={onClose}>
      <label>
        Your browser does not let the app copy. The names are selected: copy them from here.
        <textarea ref={field} readOnly rows={6} defaultValue={text} />
      </label>
      <Close onClose={onClose} />
    </Dialog>
  );
}
