import type { Audience } from '../../shared/contract';

/** `1 person`, `31 people`. */
export const peopleText = (count: number): string =>
  `${count.toLocaleString()} ${count === 1 ? 'person' : 'people'}`;

/** How many it is for and how many of them hear it. Parts that are zero are left out. */
export function ReachLine({ people, reachable, muted, held, unreachable }: Audience) {
  const parts = (
    [
      [reachable, 'can be reached', 'ok'],
      [muted, 'topic off', 'warn'],
      [held, held === 1 ? 'waits' : 'wait', 'warn'],
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
