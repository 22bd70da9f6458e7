import { useState } from 'react';
import { discardComposed } from '../../state/messages/composing';
import { offerUndo } from '../../ui/undo';

/** Says once that the text is an earlier one, which may be unexpected. */
export function RestoredDraft() {
  const [isShown, setShown] = useState(true);
  return isShown ? (
    <p className="restored">
      <small role="status">Draft restored.</small>
      <button
        type="button"
        className="quiet"
        onClick={() => {
          setShown(false);
          offerUndo('Draft discarded.', discardComposed());
          document.querySelector('h1')?.focus({ preventScroll: true });
        }}
      >
        Discard draft
      </button>
    </p>
  ) : null;
}
