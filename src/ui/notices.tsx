// Live regions for notices: at the bottom, and at the top for texts to copy. The page leaves room
// for both, so they cover nothing for good.
import { signal } from '@preact/signals-react';
import { useEffect, useState, type ReactNode } from 'react';

/** The empty tone is neutral. */
export type Tone = 'ok' | 'warn' | 'bad' | '';
interface Notice {
  id: number;
  tone: Tone;
  content: ReactNode;
  milliseconds: number;
  isAbove: boolean;
}

const notices = signal<readonly Notice[]>([]);
let lastId = 0;

/** Shows a notice, unless `content` is empty. Returns a function that removes it earlier. */
export function notify(
  content: ReactNode,
  tone: Tone = 'ok',
  milliseconds = 5000,
  isAbove = false,
): () => void {
  const id = ++lastId;
  if (content) notices.value = [...notices.value, { id, tone, content, milliseconds, isAbove }];
  return () => dismissNotice(id);
}

const dismissNotice = (id: number) => {
  notices.value = notices.value.filter((notice) => notice.id !== id);
};

export function clearNotices(): void {
  notices.value = [];
}

/** A notice's time stops while the notice is hovered or focused. */
function Item({ notice }: { notice: Notice }) {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const isHeld = isPointed || isFocused;
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => dismissNotice(notice.id), notice.milliseconds);
    return () => clearTimeout(timer);
  }, [isHeld]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only waits while it is being read
    <div
      className="note"
      data-tone={notice.tone || undefined}
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
            onClick={() => dismissNotice(notice.id)}
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
  // A session's notices would keep its screen in memory, and a new user's link.
  useEffect(() => clearNotices, []);
  return (
    // The status is not atomic: screen readers would repeat old notices and each second's progress,
    // again and again.
    <div className={above ? 'toast above' : 'toast'} role="status" aria-atomic="false">
      {notices.value
        .filter(({ isAbove }) => isAbove === above)
        .map((notice) => (
          <Item key={notice.id} notice={notice} />
        ))}
    </div>
  );
}
