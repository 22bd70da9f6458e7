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
      [reachable, 'can be reached', 'ok'],
      [muted, 'topic off', 'warn'],
      [held, waitText(held, heldUntil), 'warn'],
      [unreachable, 'cannot be reached', 'bad'],
    ] as const
  ).filter(([count]) => count > 0);
  return (
    <>
      <b>{peopleText(people)}</b>
      {people > 0 && ', each gets it once'}
      {people > 0 && (
        <span className="meter" aria-hidden="true">
          {parts.map(([count, text, tone]) => (
            <i key={text} data-tone={tone} style={{ width: `${(100 * count) / people}%` }} />
          ))}
        </span>
      )}
      <small>
        {parts.map(([count, text, tone]) => (
          <span key={text} className="chip" data-tone={tone}>
            {count.toLocaleString()} {text}
          </span>
        ))}
      </small>
    </>
  );
}
