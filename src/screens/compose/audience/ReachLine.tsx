import type { Audience } from '../../../shared/contract';
import { waitText } from '../../../ui/values/When';

/** `1 person`, `31 people`. */
export const peopleText = (count: number): string =>
  `${count.toLocaleString()} ${count === 1 ? 'person' : 'people'}`;

/**
 * How many it is for, how many of them hear it, and until when it waits for others. Parts that are
 * zero are left out.
 */
export function ReachLine({ people, reachable, muted, held, heldUntil, unreachable }: Audience) {
  const parts = (
    [
      // A device is registered: whether it displays anything is not known before.
      [reachable, 'can be reached', undefined],
      [muted, 'topic off', 'not_reachable'],
      [held, waitText(held, heldUntil), 'on_its_way'],
      [unreachable, 'cannot be reached', 'not_reachable'],
    ] as const
  ).filter(([count]) => count > 0);
  return (
    <>
      <b>{peopleText(people)}</b>
      {people > 0 && ', each gets it once'}
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
      </small>
    </>
  );
}
