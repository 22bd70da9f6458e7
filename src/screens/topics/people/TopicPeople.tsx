import { useState } from 'react';
import { Link } from 'wouter';
import { errorMessage } from '../../../api/error';
import type { Subscriber, Topic } from '../../../shared/contract';
import { readSubscribers, SUBSCRIBERS_FAILED } from '../../../state/topics/topics';
import {
  changeManySubscriptions,
  SUBSCRIPTIONS_FAILED,
} from '../../../state/users/many-subscriptions';
import {
  SUBSCRIBE_FAILED,
  subscribeUser,
  UNSUBSCRIBE_FAILED,
  unsubscribeUser,
} from '../../../state/users/subscriptions';
import { Icon } from '../../../ui/Icon';
import { lazy } from '../../../ui/lazy';
import { MoreMenu } from '../../../ui/MoreMenu';
import { notify } from '../../../ui/notices';
import { ClientPager } from '../../../ui/lists/ClientPager';
import { countedNoun } from '../../../ui/lists/Pager';
import { Search } from '../../../ui/lists/Search';
import { createTextFilter } from '../../../ui/lists/text-filter';
import { Empty, Failure, Skeleton, useKeepFocus } from '../../../ui/page';
import { offerUndo } from '../../../ui/undo';
import { Initials } from '../../../ui/values/Initials';
import { NoResults } from '../../lists/Listing';
import { useLoad } from '../../lists/use-load';
import { NOTIFICATION_STATUSES } from '../../user-labels';
import { SubscribedBy } from '../SubscribedBy';
import { TableHead } from '../../../ui/lists/TableHead';

const AddDialog = lazy(() =>
  import('../../selection/AddDialog').then((module) => module.AddDialog),
);

const ROWS_PER_BATCH = 10;

/** Who gets a topic's messages, and why. `change`: read again when it differs. */
export function TopicPeople({ topic: { id, title }, change }: { topic: Topic; change: number }) {
  const {
    value: people,
    failure,
    reload,
    retry,
  } = useLoad(`${id} ${change}`, () => readSubscribers(id), SUBSCRIBERS_FAILED);
  const [query, setQuery] = useState('');
  const [adding, setAdding] = useState(false);
  useKeepFocus(people);
  const matches = createTextFilter(query);
  const matchingPeople = (people ?? []).filter(({ user, teams = [] }) =>
    matches(user.username, ...teams.map(({ name }) => name)),
  );
  async function unsubscribe({ user, teams = [] }: Subscriber) {
    const userId = user.id ?? 0;
    try {
      await unsubscribeUser(userId, id);
      const { username } = user;
      const unsubscribed =
        teams.length > 0
          ? `${username} is no longer subscribed by name but stays subscribed through a team.`
          : `Unsubscribed ${username}.`;
      offerUndo(unsubscribed, () => void undoUnsubscribe(userId), 'ok');
    } catch (thrown) {
      notify(errorMessage(thrown, UNSUBSCRIBE_FAILED), 'bad');
    }
    reload();
  }
  async function undoUnsubscribe(userId: number) {
    const { failed, firstError } = await subscribeUser(userId, [id]);
    if (failed.length > 0) notify(errorMessage(firstError, SUBSCRIBE_FAILED), 'bad');
    reload();
  }
  return (
    <section aria-labelledby="people">
      <div className="bar">
        <h2 id="people">People{people && ` (${people.length.toLocaleString()})`}</h2>
        <button type="button" className="plain" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          Add people
        </button>
      </div>
      {people && people.length > ROWS_PER_BATCH && (
        <search className="bar">
          <Search label="Search Subscribers" onSearch={setQuery} />
        </search>
      )}
      {failure && <Failure retry={retry}>{failure}</Failure>}
      {!people && !failure && <Skeleton />}
      {people?.length === 0 && <Empty>No subscribers for this topic.</Empty>}
      {people && people.length > 0 && matchingPeople.length === 0 && <NoResults query={query} />}
      {matchingPeople.length > 0 && (
        <ClientPager key={query} rows={matchingPeople} noun="person" portion={ROWS_PER_BATCH}>
          {(rows) => (
            <PeopleTable rows={rows} onUnsubscribe={(subscriber) => void unsubscribe(subscriber)} />
          )}
        </ClientPager>
      )}
      {adding && (
        <AddDialog
          title={
            <>
              Add people to <bdi>{title}</bdi>
            </>
          }
          label="Add a person"
          kinds={['person']}
          failed={SUBSCRIPTIONS_FAILED.subscribe}
          submit={async (users) => {
            const { failed, firstError } = await changeManySubscriptions(
              'subscribe',
              [id],
              users.map((addressee) => addressee.id),
            );
            reload();
            if (failed.length > 0) throw firstError;
            notify(`${countedNoun(users.length, 'person')} subscribed to ${title}.`);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </section>
  );
}

const PeopleTable = ({
  rows,
  onUnsubscribe,
}: {
  rows: readonly Subscriber[];
  onUnsubscribe: (row: Subscriber) => void;
}) => (
  <div className="panel scroll">
    <table className="dense">
      <TableHead
        columns={['Username', 'Subscribed', 'Notification Status', 'Devices']}
        actions="Actions"
      />
      <tbody>
        {rows.map((row) => (
          <TopicPersonRow key={row.id} row={row} onUnsubscribe={onUnsubscribe} />
        ))}
      </tbody>
    </table>
  </div>
);

function TopicPersonRow({
  row,
  onUnsubscribe,
}: {
  row: Subscriber;
  onUnsubscribe: (row: Subscriber) => void;
}) {
  const { user, notificationStatus, enabledDevices, totalDevices } = row;
  const { name, tone } = NOTIFICATION_STATUSES[notificationStatus] ?? { name: notificationStatus };
  return (
    <tr>
      <th scope="row">
        <Initials name={user.username} />
        <bdi>{user.username}</bdi>
      </th>
      <td data-label="Subscribed" className="bare">
        <SubscribedBy {...row} />
      </td>
      <td data-label="Notification Status" className="bare">
        <span className="chip" data-tone={tone}>
          {name}
        </span>
      </td>
      <td data-label="Devices">
        {enabledDevices}/{totalDevices}
      </td>
      <td className="actions">
        <MoreMenu itemName={user.username}>
          <li>
            <Link href={`/admin/users/${user.id}/subscriptions`}>
              <Icon name="user" />
              Open user
            </Link>
          </li>
          <li className="last">
            <button type="button" className="quiet" onClick={() => onUnsubscribe(row)}>
              <Icon name="x" />
              Unsubscribe
            </button>
          </li>
        </MoreMenu>
      </td>
    </tr>
  );
}
