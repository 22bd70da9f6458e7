import { useState } from 'react';
import { errorMessage } from '../../api/error';
import type { Subscription } from '../../shared/contract';
import { Day } from '../../ui/values/Day';
import { notify } from '../../ui/notices';
import { Empty } from '../../ui/page';
import { ClientPager } from '../../ui/lists/ClientPager';
import { SubscribedBy } from '../topics/SubscribedBy';
import {
  SUBSCRIBE_FAILED,
  subscribeUser,
  UNSUBSCRIBE_FAILED,
  unsubscribeUser,
} from '../../state/users/subscriptions';
import { offerUndo } from '../../ui/undo';

export function CurrentSubscriptions({
  userId,
  subscriptions,
  onChange,
}: {
  userId: number;
  subscriptions: readonly Subscription[];
  onChange: () => void;
}) {
  return (
    <section aria-labelledby="current">
      <h2 id="current">Current Subscriptions ({subscriptions.length})</h2>
      {subscriptions.length === 0 ? (
        <Empty>No subscriptions yet.</Empty>
      ) : (
        <ClientPager rows={subscriptions} noun="subscription">
          {(rows) => (
            <ul className="panel rows">
              {rows.map((subscription) => (
                <li key={subscription.id}>
                  <SubscriptionRow
                    userId={userId}
                    subscription={subscription}
                    onChange={onChange}
                  />
                </li>
              ))}
            </ul>
          )}
        </ClientPager>
      )}
    </section>
  );
}

function SubscriptionRow({
  userId,
  subscription: { topic, createdAt, byName, teams },
  onChange,
}: {
  userId: number;
  subscription: Subscription;
  onChange: () => void;
}) {
  const [busy, setBusy] = useState(false);
  async function handleClick() {
    setBusy(true);
    try {
      await unsubscribeUser(userId, topic.id);
      offerUndo(`Unsubscribed from ${topic.title}.`, () => void undoUnsubscribe(), 'ok');
      onChange(); // busy until the row is gone
    } catch (thrown) {
      notify(errorMessage(thrown, UNSUBSCRIBE_FAILED), 'bad');
      setBusy(false);
    }
  }
  async function undoUnsubscribe() {
    const { failed, firstError } = await subscribeUser(userId, [topic.id]);
    if (failed.length > 0) notify(errorMessage(firstError, SUBSCRIBE_FAILED), 'bad');
    onChange();
  }
  return (
    <div>
      <span>
        <b>
          <bdi>{topic.title}</bdi>
        </b>
        <span>
          <bdi>{topic.description}</bdi>
        </span>
        <small>
          Subscribed <Day iso={createdAt} />
        </small>
        {teams && <SubscribedBy byName={byName} teams={teams} />}
      </span>
      <button
        type="button"
        className="plain"
        aria-label={`Unsubscribe from ${topic.title}`}
        aria-busy={busy || undefined}
        disabled={busy}
        onClick={() => void handleClick()}
      >
        Unsubscribe
      </button>
    </div>
  );
}
