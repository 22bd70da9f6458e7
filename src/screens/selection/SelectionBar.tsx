import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import type { SubscriptionChange } from '../../state/users/many-subscriptions';
import { lazy } from '../../ui/lazy';
import { useKeepFocus } from '../../ui/page';
import { scrollAlong } from '../../ui/lists/keep-scroll';
import type { Selection } from './selection';

const ManyTopics = lazy(() => import('./ManyTopics').then((module) => module.ManyTopics));

interface Props {
  selection: Selection;
  /** The number of rows on all pages; undefined if unknown. */
  total: number | undefined;
  /** The topic whose subscribers are selected. */
  topicId?: number;
  /** Called after subscribing or unsubscribing. */
  onDone?: () => void;
  /** Actions instead of subscribing and unsubscribing. */
  children?: ReactNode;
}

/** How many rows are selected, and the actions for them. Always in view. */
export function SelectionBar({ selection, total, topicId, onDone, children }: Props) {
  const [change, setChange] = useState<SubscriptionChange>();
  const { size } = selection.ids.value;
  const container = useRef<HTMLDivElement>(null);
  const height = useRef(0);
  useKeepFocus(size);
  useLayoutEffect(() => {
    const newHeight = container.current?.offsetHeight ?? 0;
    // The row just ticked stays under the finger. The bar of a dialog is below the rows.
    if (container.current && !container.current.closest('dialog'))
      scrollAlong(newHeight - height.current, container.current);
    height.current = newHeight;
  }, [size > 0]);
  return (
    <div className="chosen" ref={container}>
      <span className={size ? 'note bar' : undefined}>
        <span role="status">
          {size > 0 && (
            <b>
              {total === undefined
                ? `${size.toLocaleString()} selected`
                : `${size.toLocaleString()} of ${total.toLocaleString()} selected`}
            </b>
          )}
        </span>
        {size > 0 && (
          <>
            <button type="button" className="quiet" onClick={selection.clear}>
              Clear selection
            </button>
            {children ?? (
              <>
                <button type="button" onClick={() => setChange('subscribe')}>
                  Subscribe {size.toLocaleString()} to…
                </button>
                <button type="button" className="plain" onClick={() => setChange('unsubscribe')}>
                  Unsubscribe {size.toLocaleString()} from…
                </button>
              </>
            )}
          </>
        )}
      </span>
      {change && size > 0 && (
        <ManyTopics
          change={change}
          userIds={[...selection.ids.value]}
          initialTopicId={change === 'unsubscribe' ? topicId : undefined}
          onClose={() => setChange(undefined)}
          onDone={() => {
            selection.clear();
            onDone?.();
          }}
        />
      )}
    </div>
  );
}
