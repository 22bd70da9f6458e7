import { Link } from 'wouter';
import type { Overview } from '../../shared/contract';

/** How many people can be reached, and the way to those who cannot. */
export function Reached({ people: { total, reachable } }: Overview) {
  const missing = total - reachable;
  const count = total.toLocaleString();
  return (
    <div className="note bar" data-tone={missing > 0 ? 'warn' : 'ok'} role="status">
      <span>
        <b>
          {reachable.toLocaleString()} of {count} people can be reached.
        </b>
        {missing > 0 &&
          ` ${missing.toLocaleString()} ${missing === 1 ? 'needs' : 'need'} attention before an emergency finds them.`}
      </span>
      {missing > 0 && (
        <Link className="alone" href="/admin/reach">
          See who
        </Link>
      )}
    </div>
  );
}
