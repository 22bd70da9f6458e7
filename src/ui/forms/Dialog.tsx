import { useEffect, useId, useLayoutEffect, useRef, type ReactNode } from 'react';

/** A keyboard resizes the visible part, and some browsers scroll it. */
const VIEWPORT_EVENTS = ['resize', 'scroll'];

interface Props {
  title: ReactNode;
  wide?: boolean;
  /** The id of the dialog's text, if people must answer the dialog. */
  describedBy?: string | undefined;
  /** In a dialog of several steps, Escape goes back to the step before. */
  onBack?: (() => void) | undefined;
  /** Called once when Escape, a button or the browser closes the dialog. */
  onClose: () => void;
  children: ReactNode;
}

/** A native modal: the browser traps the focus, and Escape closes it. Mounted means open. */
export function Dialog({ title, wide, describedBy, onBack, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const slot = useRef<HTMLDivElement>(null);
  const hasClosed = useRef(false);
  const heading = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const element = dialog.current;
    if (!element?.open) element?.showModal();
    const stop = element && fitIntoView(element);
    return () => {
      stop?.();
      // The close event arrives after unmounting.
      hasClosed.current = true;
      element?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  // At once: the notices must not leave the page with the dialog.
  useLayoutEffect(() => (slot.current ? borrowNotices(slot.current) : undefined), []);
  return (
    <dialog
      ref={dialog}
      className={wide ? 'wide' : undefined}
      aria-labelledby={heading}
      aria-describedby={describedBy}
      onCancel={
        onBack &&
        ((event) => {
          event.preventDefault();
          onBack();
        })
      }
      onClose={() => hasClosed.current || onClose()}
    >
      <h2 id={heading}>{title}</h2>
      {children}
      <div ref={slot} />
    </dialog>
  );
}

/** The places for notices in the open dialogs; the topmost dialog's is last. */
const openSlots: Element[] = [];
/** Where each region of notices belongs. */
const regionHomes = new Map<Element, Element>();

/**
 * A modal dialog makes the rest of the page inert, also Undo in a notice. So the regions move into
 * the topmost dialog: a second copy would run each countdown twice.
 */
function borrowNotices(slot: Element): () => void {
  openSlots.push(slot);
  placeNotices();
  return () => {
    openSlots.splice(openSlots.indexOf(slot), 1);
    placeNotices();
  };
}

function placeNotices(): void {
  for (const region of document.querySelectorAll('.toast'))
    if (region.parentElement && !regionHomes.has(region))
      regionHomes.set(region, region.parentElement);
  const slot = openSlots.filter(({ isConnected }) => isConnected).at(-1);
  for (const [region, home] of regionHomes) (slot ?? home).append(region);
  if (!slot) regionHomes.clear();
}

/** Keeps the dialog and its buttons above an on-screen keyboard. Returns how to stop. */
function fitIntoView(dialog: HTMLDialogElement): () => void {
  const view = window.visualViewport;
  if (!view) return () => {};
  const fit = (event?: Event) => {
    // Zooming in must not shrink the dialog.
    dialog.style.setProperty('--view', `${view.height * view.scale}px`);
    dialog.style.setProperty('--above', `${view.scale > 1 ? 0 : view.offsetTop}px`);
    if (event?.type === 'resize' && dialog.contains(document.activeElement))
      document.activeElement?.scrollIntoView({ block: 'nearest' });
  };
  fit();
  for (const event of VIEWPORT_EVENTS) view.addEventListener(event, fit);
  return () => {
    for (const event of VIEWPORT_EVENTS) view.removeEventListener(event, fit);
  };
}

export const Close = ({ onClose }: { onClose: () => void }) => (
  <div className="foot bar">
    <div>
      <button type="button" className="plain" onClick={onClose}>
        Close
      </button>
    </div>
  </div>
);
