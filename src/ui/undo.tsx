import type { ReactNode } from 'react';
import { notify, type Tone } from './notices';

const UNDO_NOTICE_MS = 10_000;

/** Announces a finished action with an Undo button, instead of asking beforehand. */
export function offerUndo(doneText: ReactNode, undo: () => void, tone: Tone = ''): void {
  const dismiss = notify(
    <div className="bar">
      <span>{doneText}</span>
      <button
        type="button"
        className="plain"
        onClick={() => {
          dismiss();
          focusHeading();
          undo();
        }}
      >
        Undo
      </button>
    </div>,
    tone,
    UNDO_NOTICE_MS,
  );
}

/** The undo button vanishes with its notice. An open dialog makes the page's heading inert. */
function focusHeading(): void {
  const headings = document.querySelectorAll<HTMLElement>('h1, dialog[open] > h2');
  const heading = [...headings].at(-1);
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
