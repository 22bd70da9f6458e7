import type { Audience } from '../../../shared/contract';
import { Icon } from '../../../ui/Icon';
import { heldText } from '../../../ui/lists/held-text';
import { countedNoun, countText } from '../../../ui/lists/Pager';

/** How many people the message reaches, and until when others wait. Omits parts that are zero. */
export function ReachLine({
  people,
  reachable,
  muted,
  held,
  heldUntil,
  unreachable,
  suspended = 0,
}: Audience) {
  const parts = (
    [
      // Registered devices count, although the app does not know yet whether they display messages.
      [reachable, countText(reachable, 'reachable'), 'reachable'],
      [muted, countText(muted, 'muted'), 'muted'],
      [held, heldText(held, heldUntil), 'on_its_way'],
      [unreachable, countText(unreachable, 'not reachable'), 'not_reachable'],
    ] as const
  ).filter(([count]) => count > 0);
  return (
    <>
      <div className="line">
        <span className="disc">
          <Icon name="people" />
        </span>
        <b>{countedNoun(people, 'recipient')}</b>
      </div>
      {people > 0 && (
        <span className="meter" aria-hidden="true">
          {parts.map(([count, text, state]) => (
            <i key={text} data-state={state} style={{ width: `${(100 * count) / people}%` }} />
          ))}
        </span>
      )}
      <div className="tags">
        {parts.map(([, text, state]) => (
          <span key={text} className="chip" data-state={state}>
            {text}
          </span>
        ))}
        {suspended > 0 && <span className="chip">{countText(suspended, 'suspended')}</span>}
      </div>
    </>
  );
}
