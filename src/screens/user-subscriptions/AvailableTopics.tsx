import { useState, type FormEvent } from 'react';
import { errorMessage } from '../../api/error';
import type { Topic } from '../../shared/contract';
import { notify } from '../../ui/notices';
import { countedNoun } from '../../ui/lists/Pager';
import { Empty } from '../../ui/page';
import { Picker } from '../selection/Picker';
import { SUBSCRIBE_FAILED, subscribeUser } from '../../state/users/subscriptions';

export function AvailableTopics({
  userId,
  topics,
  onChange,
}: {
  userId: number;
  topics: readonly Topic[];
  onChange: () => void;
}) {
  const [picked, setPicked] = useState<ReadonlySet<number>>(new Set());
  const [busy, setBusy] = useState(false);
  // Ignores topics that have left the list.
  const selected = topics.map(({ id }) => id).filter((id) => picked.has(id));

  const pick = (ids: readonly number[], on: boolean) =>
    setPicked(new Set(on ? [...selected, ...ids] : selected.filter((id) => !ids.includes(id))));

  async function submit(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    const { failed, why } = await subscribeUser(userId, selected);
    const notSubscribed = new Set(failed);
    const subscribed = new Set(selected.filter((id) => !notSubscribed.has(id)));
    if (subscribed.size) notify(`Subscribed to ${countedNoun(subscribed.size, 'topic')}.`);
    const reason = failed.length ? errorMessage(why, SUBSCRIBE_FAILED) : '';
    notify(
      reason && failed.length > 1 ? `${reason} (${countedNoun(failed.length, 'topic')})` : reason,
      'bad',
    );
    // Failed ones stay picked for a retry, and so do new ones.
    setPicked((old) => new Set([...old].filter((id) => !subscribed.has(id))));
    setBusy(false);
    if (subscribed.size) onChange();
  }

  return (
    <section aria-labelledby="available">
      <h2 id="available">Available Topics ({topics.length})</h2>
      {topics.length === 0 ? (
        <Empty>No available topics to subscribe to.</Empty>
      ) : (
        <>
          <Picker rows={topics} picked={picked} onPick={pick} />
          <form className="bar" onSubmit={(event) => void submit(event)}>
            <small role="status">{selected.length} selected</small>
            <button
              type="submit"
              aria-busy={busy || undefined}
              disabled={busy || selected.length === 0}
            >
              {busy ? 'Subscribing…' : 'Subscribe'}
            </button>
          </form>
        </>
      )}
    </section>
  );
}
