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
  const [pickedIds, setPickedIds] = useState<ReadonlySet<number>>(new Set());
  const [busy, setBusy] = useState(false);
  // Ignores topics that have left the list.
  const selectedIds = topics.map(({ id }) => id).filter((id) => pickedIds.has(id));

  const pick = (ids: readonly number[], isPicked: boolean) =>
    setPickedIds(
      new Set(isPicked ? [...selectedIds, ...ids] : selectedIds.filter((id) => !ids.includes(id))),
    );

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    const { failed, firstError } = await subscribeUser(userId, selectedIds);
    const notSubscribed = new Set(failed);
    const subscribedIds = new Set(selectedIds.filter((id) => !notSubscribed.has(id)));
    if (subscribedIds.size) notify(`Subscribed to ${countedNoun(subscribedIds.size, 'topic')}.`);
    const reason = failed.length ? errorMessage(firstError, SUBSCRIBE_FAILED) : '';
    notify(
      reason && failed.length > 1 ? `${reason} (${countedNoun(failed.length, 'topic')})` : reason,
      'bad',
    );
    // Failed ones stay picked for a retry, and so do new ones.
    setPickedIds((previous) => new Set([...previous].filter((id) => !subscribedIds.has(id))));
    setBusy(false);
    if (subscribedIds.size) onChange();
  }

  return (
    <section aria-labelledby="available">
      <h2 id="available">Available Topics ({topics.length})</h2>
      {topics.length === 0 ? (
        <Empty>No available topics to subscribe to.</Empty>
      ) : (
        <>
          <Picker rows={topics} pickedIds={pickedIds} onPick={pick} />
          <form className="bar" onSubmit={(event) => void onSubmit(event)}>
            <small role="status">{selectedIds.length} selected</small>
            <button
              type="submit"
              aria-busy={busy || undefined}
              disabled={busy || selectedIds.length === 0}
            >
              {busy ? 'Subscribing…' : 'Subscribe'}
            </button>
          </form>
        </>
      )}
    </section>
  );
}
