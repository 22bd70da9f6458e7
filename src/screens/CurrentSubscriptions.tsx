import { useState } from 'react';
import { sentence } from '../api';
import type { Subscription } from '../contract';
import { Day } from '../ui/Day';
import { say } from '../ui/notices';
import { Empty } from '../ui/page';
import { Portions } from '../ui/Portions';
import { unsubscribe, UNSUBSCRIBE_FAILED } from './user-subscriptions';

/** What the user is subscribed to, each with the way out. */
export function CurrentSubscriptions({ userId, subscriptions, onChange }: { userId: number; subscriptions: readonly Subscription[]; onChange: () => void }) {
  return (
    <section aria-labelledby="current">
      <h2 id="current">Current Subscriptions ({subscriptions.length})</h2>
      {subscriptions.length === 0 ? (
        <Empty>No subscriptions yet.</Empty>
      ) : (
        <Portions rows={subscriptions} noun="subscription">
          {(rows) => (
            <ul className="panel rows">
              {rows.map((subscription) => (
                <li key={subscription.id}>
                  <Row userId={userId} subscription={subscription} onChange={onChange} />
                </li>
              ))}
            </ul>
          )}
        </Portions>
      )}
    </section>
  );
}

function Row({ userId, subscription: { topic, createdAt }, onChange }: { userId: number; subscription: Subscription; onChange: () => void }) {
  const [busy, setBusy] = useState(false);
  async function press() {
    setBusy(true);
    try {
      await unsubscribe(userId, topic.id);
      say(`Unsubscribed from ${topic.title}.`);
      onChange(); // busy until the row is gone
    } catch (thrown) {
      say(sentence(thrown, UNSUBSCRIBE_FAILED), 'bad');
      setBusy(false);
    }
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
      </span>
      <button
        type="button"
        className="plain"
        aria-label={`Unsubscribe from ${topic.title}`}
        aria-busy={busy || undefined}
        disabled={busy}
        onClick={() => void press()}
      >
        Unsubscribe
      </button>
    </div>
  );
}
