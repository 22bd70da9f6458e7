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

/** A picture beside its word, never instead of it. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg className={FLIPPED.includes(name) ? 'i flip' : 'i'} aria-hidden="true">
    <use href={`${ICONS}#${name}`} />
  </svg>
);
