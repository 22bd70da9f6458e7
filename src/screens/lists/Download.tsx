import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { errorMessage } from '../../api/error';
import { download } from '../../ui/download';
import { notify } from '../../ui/notices';
import { useOpen } from '../../ui/forms/open';

interface Props {
  /** Of the file. */
  name: string;
  read: () => Promise<Blob>;
  /** What to say if it cannot be read. */
  failed: string;
  children: ReactNode;
  /** What the button says until it is there. */
  meanwhile?: ReactNode;
  /** How the button looks. */
  look?: 'quiet' | 'plain';
}

/**
 * Saves what the server keeps as a file. The app fetches it, since a link would come to the server without the
 * session's token.
 */
export function Download({
  name,
  read,
  failed,
  children,
  meanwhile = children,
  look = 'quiet',
}: Props) {
  const [busy, setBusy] = useState(false);
  const letGo = useRef(() => {});
  const open = useOpen();
  useLayoutEffect(() => () => letGo.current(), []);
  async function press() {
    setBusy(true);
    try {
      const file = await read();
      if (!open.current) return; // nobody waits for it any more
      letGo.current();
      letGo.current = download(file, name);
    } catch (thrown) {
      notify(errorMessage(thrown, failed), 'bad');
    } finally {
      setBusy(false);
    }
  }
  return (
    <button
      type="button"
      className={look}
      aria-busy={busy || undefined}
      disabled={busy}
      onClick={() => void press()}
    >
      {busy ? meanwhile : children}
    </button>
  );
}
