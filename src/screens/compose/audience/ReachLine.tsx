import type { Audience } from '../../../shared/contract';
import { amount } from '../../../ui/lists/Pager';
import { heldText } from '../../../ui/values/When';

/** How many people it reaches, and until when others wait. Omits parts that are zero. */
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
      // Registered devices count; it is unknown yet whether they display anything.
      [reachable, 'reachable', undefined],
      [muted, 'muted', 'not_reachable'],
      [held, heldText(heldUntil), 'on_its_way'],
      [unreachable, 'not reachable', 'not_reachable'],
    ] as const
  ).filter(([count]) => count > 0);
  return (
    <>
      <b>{amount(people, 'recipient')}</b>
      {people > 0 && (
        <span className="meter" aria-hidden="true">
          {parts.map(([count, text, state]) => (
            <i key={text} data-state={state} style={{ width: `${(100 * count) / people}%` }} />
          ))}
        </span>
      )}
      <small>
        {parts.map(([count, text, state]) => (
          <span key={text} className="chip" data-state={state}>
            {count.toLocaleString()} {text}
          </span>
        ))}
        {suspended > 0 && <span className="chip">{suspended.toLocaleString()} suspended</span>}
      </small>
    </>
  );
}
