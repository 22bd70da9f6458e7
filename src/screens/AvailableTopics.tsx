import { useState, type FormEvent } from 'react';
import { sentence } from '../api';
import type { Topic } from '../contract';
import { say } from '../ui/notices';
import { amount } from '../ui/Pager';
import { Empty } from '../ui/page';
import { SUBSCRIBE_FAILED, subscribe } from './user-subscriptions';

/** The topics that the user could be subscribed to: any number of them at once. */
export function AvailableTopics({ userId, topics, onChange }: { userId: number; topics: readonly Topic[]; onChange: () => void }) {
  const [picked, setPicked] = useState<ReadonlySet<number>>(new Set());
  const [busy, setBusy] = useState(false);
  // A topic that is gone from the list, subscribed to or deleted meanwhile, is no longer picked.
  const selected = topics.map(({ id }) => id).filter((id) => picked.has(id));

  function flip(id: number) {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setPicked(next);
  }

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy || !selected.length) return;
    setBusy(true);
    const { failed, why } = await subscribe(userId, selected);
    const succeeded = selected.length - failed.length;
    if (succeeded) say(`Subscribed to ${amount(succeeded, 'topic')}.`);
    const reason = failed.length ? sentence(why, SUBSCRIBE_FAILED) : '';
    say(reason && failed.length > 1 ? `${reason} (${amount(failed.length, 'topic')})` : reason, 'bad');
    setPicked(new Set(failed)); // what failed stays selected, to try again
    setBusy(false);
    if (succeeded) onChange();
  }

  return (
    <section aria-labelledby="available">
      <h2 id="available">Available Topics ({topics.length})</h2>
      {topics.length === 0 ? (
        <Empty>No available topics to subscribe to.</Empty>
      ) : (
        <form onSubmit={(event) => void submit(event)}>
          <ul className="panel rows scroll pick">
            {topics.map(({ id, title, description }) => (
              <li key={id}>
                <label>
                  <input type="checkbox" checked={picked.has(id)} onChange={() => flip(id)} aria-labelledby={`title-${id}`} aria-describedby={`about-${id}`} />
                  <span>
                    <b id={`title-${id}`}>
                      <bdi>{title}</bdi>
                    </b>
                    <small id={`about-${id}`}>
                      <bdi className="clamp">{description}</bdi>
                    </small>
                  </span>
                </label>
              </li>
            ))}
          </ul>
          <div className="bar">
            <small role="status">{selected.length} selected</small>
            <button type="submit" aria-busy={busy || undefined} disabled={busy || selected.length === 0}>
              {busy ? 'Subscribing...' : 'Subscribe'}
            </button>
          </div>
        </form>
      )}
    </section>
  );
}
