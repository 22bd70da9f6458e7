import { useEffect } from 'react';
import { Link } from 'wouter';
import { write } from '../../platform/storage/storage';
import { follow } from '../../state/inbox/follow';
import { rows, unread } from '../../state/inbox/known';
import { isAdmin } from '../../state/session';
import { MessageRow } from './MessageRow';
import { useSteady } from './steady';

export { showKept } from '../../state/inbox/read';

const byId = (id: string) => document.getElementById(id);

/**
 * What came last and was not read, above a person's topics.
 * @param place the id of what it is in, under which its height is kept for the next time
 */
export function NewMessages({ place }: { place: string }) {
  useEffect(follow, []);
  useSteady(
    () => [byId('mine')],
    () => byId(place),
  );
  useEffect(() => {
    write(place, `${(byId(place)?.firstChild as HTMLElement | null)?.offsetHeight ?? 0}px`);
  });
  const fresh = rows.value.filter(({ readAt }) => readAt === null).slice(0, 2);
  const all = (
    <Link className="alone" href="/messages">
      All messages
    </Link>
  );
  // Administrators have no entry of the navigation that leads there.
  if (!fresh.length) return isAdmin.value ? <p>{all}</p> : null;
  return (
    <section aria-labelledby="new">
      <div className="bar">
        <h2 id="new">New messages ({unread.value})</h2>
        {all}
      </div>
      <ul className="panel rows inbox">
        {fresh.map((row) => (
          <MessageRow key={row.id} row={row} brief />
        ))}
      </ul>
    </section>
  );
}
