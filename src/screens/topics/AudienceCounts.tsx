import { Link } from 'wouter';
import type { Audience } from '../../shared/contract';
import { waitText } from '../../ui/values/When';

/**
 * How many a message reaches, before it is sent, and the way to their names. Parts that are zero
 * are left out.
 */
export function AudienceCounts({
  audience: { people, reachable, muted, held, heldUntil, unreachable },
  topic,
}: {
  audience: Audience;
  topic: number;
}) {
  if (!people) return null;
  const chip = (count: number, text: string, tone?: string) =>
    count > 0 && (
      <span className="chip" data-tone={tone}>
        {count.toLocaleString()} {text}
      </span>
    );
  return (
    <p className="reach">
      {chip(reachable, 'can be reached')} {chip(held, waitText(held, heldUntil), 'warn')}{' '}
      {chip(muted, 'switched it off')} {chip(unreachable, 'cannot', 'bad')}
      <Link className="alone" href={`/admin/reach?topic=${topic}`}>
        See who
      </Link>
    </p>
  );
}
