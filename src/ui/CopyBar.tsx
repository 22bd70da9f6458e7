import { useEffect, useRef } from 'react';
import { copy, selectText } from './clipboard';
import { notify } from './notices';

/**
 * Text to be pasted elsewhere, with a button that copies it; where the browser does not let the app
 * copy, it is selected.
 * @param what it is called, such as `secret`
 */
export function CopyBar({
  what,
  children,
  focused,
  lines,
}: {
  what: string;
  children: string;
  /** What brought it may be a screen away on a phone: the button takes the focus. */
  focused?: boolean;
  /** It has several lines. */
  lines?: boolean;
}) {
  const code = useRef<HTMLElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (focused) button.current?.focus();
  }, [children, focused]);
  async function press() {
    if (await copy(children)) return notify(`${what[0]?.toUpperCase()}${what.slice(1)} copied.`);
    selectText(code.current);
    return notify(
      `Your browser does not let the app copy. The ${what} is selected: copy it from here.`,
      'warn',
    );
  }
  return (
    <div className="note bar">
      <code ref={code} className={lines ? 'lines' : undefined}>
        {children}
      </code>
      <button
        ref={button}
        type="button"
        className="plain"
        aria-label={`Copy ${what}`}
        onClick={() => void press()}
      >
        Copy
      </button>
    </div>
  );
}
