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
          // The undo button vanishes with its notice.
          document.querySelector('h1')?.focus({ preventScroll: true });
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
