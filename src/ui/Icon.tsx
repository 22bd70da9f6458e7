import { useCallback } from 'react';

/** The drawings of `static/icons.svg`. */
export type IconName =
  | 'bell'
  | 'mute'
  | 'inbox'
  | 'shield'
  | 'send'
  | 'user'
  | 'people'
  | 'team'
  | 'tag'
  | 'clock'
  | 'moon'
  | 'alert'
  | 'check'
  | 'x'
  | 'chevron'
  | 'more'
  | 'globe'
  | 'device'
  | 'chart'
  | 'beat'
  | 'link'
  | 'download'
  | 'settings'
  | 'logout'
  | 'plus'
  | 'edit'
  | 'grid'
  | 'phone';

/** Icons that point along the text. They are mirrored in right-to-left languages. */
const FLIPPED: readonly IconName[] = ['send', 'chevron', 'logout'];

/** Each icon's address takes 2 ms on a slow phone, so the first screen is painted without icons. */
let firstPaint: Promise<unknown> | undefined;

/** A picture beside its word, never instead of it. */
export const Icon = ({ name }: { name: IconName }) => {
  const draw = useCallback(
    (use: SVGUseElement | null) => {
      firstPaint ??= new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      void firstPaint.then(() => use?.setAttribute('href', `${ICONS}#${name}`));
    },
    [name],
  );
  return (
    <svg className={FLIPPED.includes(name) ? 'i flip' : 'i'} aria-hidden="true">
      <use ref={draw} />
    </svg>
  );
};
