import { useEffect, useRef } from 'react';
import { copy, selectText } from '../../ui/clipboard';
import { notify } from '../../ui/notices';

/** The secret of a webhook that was just added: shown here, and nowhere else again. */
export function Secret({ children }: { children: string }) {
  const code = useRef<HTMLElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // The form that brought it may be a screen below on a phone.
  useEffect(() => button.current?.focus(), [children]);
  async function press() {
    if (await copy(children)) return notify('Secret copied.');
    selectText(code.current);
    return notify(
      'Your browser does not let the app copy. The secret is selected: copy it from here.',
      'warn',
    );
  }
  return (
    <>
      <p className="note" data-tone="ok" role="status">
        {children && <b>Webhook added. Copy its secret now; it is not shown again.</b>}
      </p>
      {children && (
        <div className="note bar">
          <code ref={code}>{children}</code>
          <button
            ref={button}
            type="button"
            className="plain"
            aria-label="Copy secret"
            onClick={() => void press()}
          >
            Copy
          </button>
        </div>
      )}
    </>
  );
}
