/**
 * Where outcomes are said: a live region at the bottom edge, and one at the top centre for what is to
 * be copied. Both have room of their own at the page's ends, so that they cover nothing for good.
 */
import { signal } from '@preact/signals-react';
import { useEffect, useState, type ReactNode } from 'react';

/** Empty for what is neither good nor bad. */
export type Tone = 'ok' | 'warn' | 'bad' | '';
interface Notice {
  id: number;
  tone: Tone;
  content: ReactNode;
  milliseconds: number;
  isAbove: boolean;
}

const notices = signal<readonly Notice[]>([]);
let last = 0;

/**
 * Says something, unless it is nothing, for a while (5 s unless told), at the bottom edge or above
 * the page. Returns how to take it back earlier.
 */
export function notify(
  content: ReactNode,
  tone: Tone = 'ok',
  milliseconds = 5000,
  isAbove = false,
): () => void {
  const id = ++last;
  if (content) notices.value = [...notices.value, { id, tone, content, milliseconds, isAbove }];
  return () => dismiss(id);
}

const dismiss = (id: number) => {
  notices.value = notices.value.filter((notice) => notice.id !== id);
};

/** Takes every notice back, as when somebody else signs in. */
export function clearNotices(): void {
  notices.value = [];
}

/**
 * A notice counts its time down only while no person points at it or is inside it with the
 * keyboard.
 */
function Item({ notice }: { notice: Notice }) {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const held = pointed || focused;
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => dismiss(notice.id), notice.milliseconds);
    return () => clearTimeout(timer);
  }, [held]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only waits while it is being read
    <div
      className="note"
      data-tone={notice.tone}
      onMouseEnter={() => setPointed(true)}
      onMouseLeave={() => setPointed(false)}
      onFocusCapture={() => setFocused(true)}
      onBlurCapture={() => setFocused(false)}
    >
      {typeof notice.content === 'string' ? (
        <div className="bar">
          <span>{notice.content}</span>
          <button
            type="button"
            className="quiet"
            aria-label="Close notice"
            onClick={() => dismiss(notice.id)}
          >
            Close
          </button>
        </div>
      ) : (
        notice.content
      )}
    </div>
  );
}

export function Notices({ above = false }: { above?: boolean }) {
  // What a session leaves behind would keep its whole screen in memory, and a new user's link.
  useEffect(() => clearNotices, []);
  return (
    // Not read out as a whole: the news of before, and how far a message got each second, would be
    // said again and again.
    <div className={above ? 'toast above' : 'toast'} role="status" aria-atomic="false">
      {notices.value
        .filter(({ isAbove }) => isAbove === above)
        .map((notice) => (
          <Item key={notice.id} notice={notice} />
        ))}
    </div>
  );
}
