import { useEffect, useId, useLayoutEffect, useRef, type ReactNode } from 'react';

interface Props {
  title: ReactNode;
  wide?: boolean;
  /** A dialog that must be answered, such as a deletion: read out with its text. */
  describedBy?: string;
  /** Called once, however it closes: Escape, a button, or the browser. */
  onClose: () => void;
  children: ReactNode;
}

/**
 * A native modal dialog: the browser keeps the focus inside, Escape closes it, and the focus returns to what opened it.
 * Mounted means open.
 */
export function Dialog({ title, wide, describedBy, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const gone = useRef(false);
  const heading = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const element = dialog.current;
    if (!element?.open) element?.showModal();
    return () => {
      gone.current = true; // the browser's close event comes after this, to a dialog that nobody waits for any more
      element?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} className={wide ? 'wide' : undefined} aria-labelledby={heading} aria-describedby={describedBy} onClose={() => gone.current || onClose()}>
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}

/** Whether a dialog is still open, for what it began and what ends later. */
export function useOpen(): { readonly current: boolean } {
  const open = useRef(true);
  useLayoutEffect(
    () => () => {
      open.current = false;
    },
    [],
  );
  return open;
}

/** The last line of a dialog that only shows something. */
export const Close = ({ onClose }: { onClose: () => void }) => (
  <div className="bar">
    <div>
      <button type="button" className="plain" onClick={onClose}>
        Close
      </button>
    </div>
  </div>
);
