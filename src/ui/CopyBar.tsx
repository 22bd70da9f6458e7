import { useEffect, useRef } from 'react';
import { copyText, selectText } from './clipboard';
import { notify } from './notices';

const COPY_LABELS = {
  link: ['Copy link', 'Link copied.'],
  key: ['Copy key', 'Key copied.'],
  command: ['Copy curl command', 'Curl command copied.'],
  secret: ['Copy secret', 'Secret copied.'],
  codes: ['Copy recovery codes', 'Recovery codes copied.'],
} as const;

/** If the browser does not copy, the text is selected. */
export function CopyBar({
  what,
  children,
  focused,
  lines,
}: {
  what: keyof typeof COPY_LABELS;
  children: string;
  /** Focuses the button: on a phone, the button may be a screen away. */
  focused?: boolean;
  lines?: boolean;
}) {
  const [label, copiedText] = COPY_LABELS[what];
  const code = useRef<HTMLElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (focused) button.current?.focus();
  }, [children, focused]);
  async function copyAndReport() {
    if (await copyText(children)) return notify(copiedText);
    selectText(code.current);
    return notify(
      'Your browser doesn’t allow copying. The text is selected, so you can copy it yourself.',
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
        aria-label={label}
        onClick={() => void copyAndReport()}
      >
        Copy
      </button>
    </div>
  );
}
