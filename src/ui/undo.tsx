import type { ReactNode } from 'react';
import { notify, type Tone } from './notices';

const UNDO_MS = 10_000;

/** Tells what was done, with Undo instead of a question before. */
export function offerUndo(done: ReactNode, undo: () => void, tone: Tone = ''): void {
  const dismiss = notify(
    <div className="bar">
      <span>{done}</span>
      <button
        type="button"
        className="plain"
        onClick={() => {
          dismiss();
          // It vanishes with its notice.
          document.querySelector('h1')?.focus({ preventScroll: true });
          undo();
        }}
      >
        Undo
      </button>
    </div>,
    tone,
    UNDO_MS,
  );
}
