import { useLayoutEffect, useRef, useState } from 'react';
import { errorMessage } from '../../api/error';
import { DOWNLOAD_FAILED, downloadRecipients } from '../../state/sending/sent';
import { download } from '../../ui/download';
import { notify } from '../../ui/notices';
import { useOpen } from '../../ui/open';

/**
 * Saves all people of a message as a file. The app fetches it, since a link would come to the
 * server without the session's token.
 */
export function Download({ messageId }: { messageId: string }) {
  const [busy, setBusy] = useState(false);
  const letGo = useRef(() => {});
  const open = useOpen();
  useLayoutEffect(() => () => letGo.current(), []);
  async function press() {
    setBusy(true);
    try {
      const file = await downloadRecipients(messageId);
      if (!open.current) return; // nobody waits for it any more
      letGo.current();
      letGo.current = download(file, `recipients-${messageId}.csv`);
    } catch (thrown) {
      notify(errorMessage(thrown, DOWNLOAD_FAILED), 'bad');
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
      Download all as CSV
    </button>
  );
}
