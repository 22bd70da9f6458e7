import type { Audience } from '../../../shared/contract';
import { waitText } from '../../../ui/values/When';

export const peopleText = (count: number): string =>
  `${count.toLocaleString()} ${count === 1 ? 'person' : 'people'}`;

/** How many people it reaches, and until when others wait. Omits parts that are zero. */
export function ReachLine({ people, reachable, muted, held, heldUntil, unreachable }: Audience) {
  const parts = (
    [
      // Registered devices count; it is unknown yet whether they display anything.
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
