import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { errorMessage } from '../../api/error';
import { download } from '../../ui/download';
import { notify } from '../../ui/notices';
import { useIsMounted } from '../../ui/forms/use-is-mounted';

interface Props {
  /** The file's name. */
  name: string;
  read: () => Promise<Blob>;
  /** The error if the download fails. */
  failed: string;
  children: ReactNode;
  /** The button's label while loading. */
  busyText?: ReactNode;
  variant?: 'quiet' | 'plain';
}

/** Fetched by the app, because a link would lack the session's token. */
export function Download({
  name,
  read,
  failed,
  children,
  busyText = children,
  variant = 'quiet',
}: Props) {
  const [busy, setBusy] = useState(false);
  const release = useRef(() => {});
  const isMounted = useIsMounted();
  useLayoutEffect(() => () => release.current(), []);
  async function handleClick() {
    setBusy(true);
    try {
      const file = await read();
      if (!isMounted.current) return; // the screen has closed
      release.current();
      release.current = download(file, name);
    } catch (thrown) {
      notify(errorMessage(thrown, failed), 'bad');
    } finally {
      setBusy(false);
    }
  }
  return (
    <button
      type="button"
      className={variant}
      aria-busy={busy || undefined}
      disabled={busy}
      onClick={() => void handleClick()}
    >
      {busy ? busyText : children}
    </button>
  );
}
