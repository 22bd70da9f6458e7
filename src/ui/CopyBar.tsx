import { useEffect, useRef } from 'react';
import { copy, selectText } from './clipboard';
import { notify } from './notices';

/** If the browser does not copy, the text is selected. @param what such as `secret` */
export function CopyBar({
  what,
  children,
  focused,
  lines,
}: {
  what: string;
  children: string;
  /** Focuses the button: on a phone it may be a screen away. */
  focused?: boolean;
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
      `Your browser doesn’t let us copy for you. The ${what} is selected: copy it yourself.`,
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
