import { useState } from 'react';
import type { Subscriber, Topic } from '../../shared/contract';
import { Day } from '../../ui/values/Day';
import { Close, Dialog } from '../../ui/forms/Dialog';
import { Empty, Failure, Skeleton } from '../../ui/page';
import { ClientPager } from '../../ui/lists/ClientPager';
import { Search } from '../../ui/lists/Search';
import { createTextFilter } from '../../ui/lists/text-filter';
import { SelectionBar } from '../selection/SelectionBar';
import { NoResults } from '../lists/Listing';
import { useLoad } from '../lists/use-load';
import { useSelection, type Selection } from '../selection/selection';
import { RowCheckbox, PageCheckbox } from '../selection/RowCheckboxes';
import { NOTIFICATION_STATUSES, ROLE_NAMES } from '../user-labels';
import { SubscribedBy } from './SubscribedBy';
import { readSubscribers, SUBSCRIBERS_FAILED } from '../../state/topics/topics';

/** A topic's subscribers, with how many of their devices would be notified. */
export function Subscribers({ topic, onClose }: { topic: Topic; onClose: () => void }) {
  const { value, failure, loading, reload, retry } = useLoad(
    topic.id,
    readSubscribers,
    SUBSCRIBERS_FAILED,
  );
  return (
    <Dialog
      wide
      title={
        <>
          Subscribers of <bdi>{topic.title}</bdi>
        </>
      }
      onClose={onClose}
    >
      {failure && <Failure retry={retry}>{failure}</Failure>}
      {!value && loading && <Skeleton />}
      {value?.length === 0 && <Empty>No subscribers for this topic.</Empty>}
      {value && value.length > 0 && (
        <Listed topicId={topic.id} subscribers={value} onDone={reload} />
      )}
      <Close onClose={onClose} />
    </Dialog>
  );
}

function Listed({
  topicId,
  subscribers,
  onDone,
}: {
  topicId: number;
  subscribers: readonly Subscriber[];
  onDone: () => void;
}) {
  const [query, setQuery] = useState('');
  const selection = useSelection(query);
  const matches = createTextFilter(query);
  const matchingPeople = subscribers.filter(({ user, notificationStatus }) =>
    matches(
      user.username,
      ROLE_NAMES[user.role] ?? '',
      NOTIFICATION_STATUSES[notificationStatus]?.name ?? '',
    ),
  );
  // A server with only the specification's API sends no ids.
  const knownSelection = subscribers.every(({ user }) => user.id) ? selection : undefined;
  return (
    <>
      {subscribers.length > 10 && (
        <search className="bar">
          <Search label="Search Subscribers" onSearch={setQuery} />
        </search>
      )}
      {matchingPeople.length === 0 && <NoResults query={query} />}
      {matchingPeople.length > 0 && (
        <ClientPager key={query} rows={matchingPeople} noun="subscriber">
          {(rows) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll what has the focus
            <section className="panel scroll" aria-label="Subscribers" tabIndex={0}>
              <table>
                <thead>
                  <tr>
                    {knownSelection && (
                      <PageCheckbox
                        page={rows.map(({ user }) => user.id ?? 0)}
                        selection={knownSelection}
                      />
                    )}
                    <th scope="col">Username</th>
                    <th scope="col">Role</th>
                    <th scope="col">Notification Status</th>
                    <th scope="col">Devices</th>
                    <th scope="col">Subscribed Date</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <SubscriberRow key={row.id} row={row} selection={knownSelection} />
                  ))}
                </tbody>
              </table>
            </section>
          )}
        </ClientPager>
      )}
      <SelectionBar
        selection={selection}
        total={matchingPeople.length}
        topicId={topicId}
        onDone={onDone}
      />
    </>
  );
}

function SubscriberRow({
  row: { user, notificationStatus, enabledDevices, totalDevices, createdAt, byName, teams },
  selection,
}: {
  row: Subscriber;
  selection: Selection | undefined;
}) {
  const { name, tone } = NOTIFICATION_STATUSES[notificationStatus] ?? { name: notificationStatus };
  return (
    <tr>
      {selection && (
        <td>
          <RowCheckbox id={user.id ?? 0} name={user.username} selection={selection} />
        </td>
      )}
      <th scope="row">
        <bdi>{user.username}</bdi>
      </th>
      <td data-label="Role">{ROLE_NAMES[user.role] ?? user.role}</td>
      <td data-label="Status">
        <span className="chip" data-tone={tone}>
          {name}
        </span>
      </td>
      <td data-label="Devices">
        {enabledDevices}/{totalDevices}
      </td>
      <td data-label="Subscribed">
        <Day iso={createdAt} />
        {teams && <SubscribedBy byName={byName} teams={teams} />}
      </td>
    </tr>
  );
}
