import { useEffect, useId, useRef, type ReactNode } from 'react';

/** A keyboard changes the size of the visible part, and some browsers then move it. */
const EVENTS = ['resize', 'scroll'];

interface Props {
  title: ReactNode;
  wide?: boolean;
  /** A dialog that must be answered, such as a deletion: read out with its text. */
  describedBy?: string | undefined;
  /** Called once, however it closes: Escape, a button, or the browser. */
  onClose: () => void;
  children: ReactNode;
}

/**
 * A native modal dialog: the browser keeps the focus inside, Escape closes it, and the focus
 * returns to what opened it. Mounted means open.
 */
export function Dialog({ title, wide, describedBy, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const gone = useRef(false);
  const heading = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const element = dialog.current;
    if (!element?.open) element?.showModal();
    const stop = element && fitIntoView(element);
    return () => {
      stop?.();
      // The browser's close event comes after this, to a dialog that is done with.
      gone.current = true;
      element?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={wide ? 'wide' : undefined}
      aria-labelledby={heading}
      aria-describedby={describedBy}
      onClose={() => gone.current || onClose()}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}

/**
 * A keyboard on the screen covers the lower part of a page and leaves it as large as it is: the
 * dialog, with its buttons at its foot, ends above the keyboard. Returns how to stop.
 */
function fitIntoView(dialog: HTMLDialogElement): () => void {
  const view = window.visualViewport;
  if (!view) return () => {};
  const fit = (event?: Event) => {
    // Somebody who zooms in sees less of it, and moves about in it: that makes no dialog smaller.
    dialog.style.setProperty('--view', `${view.height * view.scale}px`);
    dialog.style.setProperty('--above', `${view.scale > 1 ? 0 : view.offsetTop}px`);
    if (event?.type === 'resize' && dialog.contains(document.activeElement))
      document.activeElement?.scrollIntoView({ block: 'nearest' });
  };
  fit();
  for (const event of EVENTS) view.addEventListener(event, fit);
  return () => {
    for (const event of EVENTS) view.removeEventListener(event, fit);
  };
}

/** The last line of a dialog that only shows something. */
export const Close = ({ onClose }: { onClose: () => void }) => (
  <div className="foot bar">
    <div>
      <button type="button" className="plain" onClick={onClose}>
        Close
      </button>
    </div>
  </div>
);
