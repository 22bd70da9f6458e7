import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { errorMessage } from '../../api/error';
import { download } from '../../ui/download';
import { notify } from '../../ui/notices';
import { useOpen } from '../../ui/open';

interface Props {
  /** Of the file. */
  name: string;
  read: () => Promise<Blob>;
  /** What to say if it cannot be read. */
  failed: string;
  children: ReactNode;
}

/**
 * Saves a list as a file. The app fetches it, since a link would come to the server without the
 * session's token.
 */
export function Download({ name, read, failed, children }: Props) {
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
      className="quiet"
      aria-busy={busy || undefined}
      disabled={busy}
      onClick={() => void press()}
    >
      {children}
    </button>
  );
}
