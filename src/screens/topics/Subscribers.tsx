import type { Subscriber, Topic } from '../../shared/contract';
import { Day } from '../../ui/Day';
import { Close, Dialog } from '../../ui/Dialog';
import { Empty, Failure, Skeleton } from '../../ui/page';
import { ClientPager } from '../../ui/ClientPager';
import { useLoad } from '../lists/load';
import { REACH, ROLES } from '../names';
import { readSubscribers, SUBSCRIBERS_FAILED } from '../../state/topics';

/** Who is subscribed to a topic, and how many of their devices a message would reach. */
export function Subscribers({ topic, onClose }: { topic: Topic; onClose: () => void }) {
  const { value, failure, loading, reload } = useLoad(
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
      {failure && <Failure retry={reload}>{failure}</Failure>}
      {!value && loading && <Skeleton />}
      {value?.length === 0 && <Empty>No subscribers for this topic.</Empty>}
      {value && value.length > 0 && <Listed subscribers={value} />}
      <Close onClose={onClose} />
    </Dialog>
  );
}

function Listed({ subscribers }: { subscribers: readonly Subscriber[] }) {
  return (
    <ClientPager rows={subscribers} noun="subscriber">
      {(rows) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll what has the focus
        <section className="panel scroll" aria-label="Subscribers" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Username</th>
                <th scope="col">Role</th>
                <th scope="col">Notification Status</th>
                <th scope="col">Devices</th>
                <th scope="col">Subscribed Date</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Row key={row.id} row={row} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </ClientPager>
  );
}

function Row({
  row: { user, notificationStatus, enabledDevices, totalDevices, createdAt },
}: {
  row: Subscriber;
}) {
  const { name, tone } = REACH[notificationStatus] ?? { name: notificationStatus };
  return (
    <tr>
      <th scope="row">
        <bdi>{user.username}</bdi>
      </th>
      <td data-label="Role">{ROLES[user.role] ?? user.role}</td>
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
      </td>
    </tr>
  );
}
