import type { SentMessage } from '../../shared/contract';
import { lazy } from '../../ui/lazy';

/** Loaded on demand, because few messages are corrected. */
const LazyRevised = lazy(() =>
  import('../../ui/values/Revision').then((module) => module.Revision),
);

/** What a corrected message, or one with its all-clear, shows besides its text. */
export const SentRevision = (props: {
  row: SentMessage;
  part: 'marks' | 'all-clear' | 'former';
  /** Lists show the mark without color. */
  neutral?: boolean;
}) => (props.row.revisedAt || props.row.allClearAt ? <LazyRevised {...props} /> : null);
