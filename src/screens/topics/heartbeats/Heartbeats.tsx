import { useEffect, useState } from 'react';
import { Link, useParams } from 'wouter';
import { errorMessage } from '../../../api/error';
import { repeatWhileVisible } from '../../../platform/visibility';
import type { Heartbeat } from '../../../shared/contract';
import {
  deleteHeartbeat,
  HEARTBEAT_CHANGE_FAILED,
  HEARTBEAT_DELETE_FAILED,
  HEARTBEATS_FAILED,
  createHeartbeatLine,
  pauseHeartbeat,
  readHeartbeats,
} from '../../../state/topics/heartbeats';
import { CopyBar } from '../../../ui/CopyBar';
import { EmptyList } from '../../../ui/EmptyList';
import { DialogForm } from '../../../ui/forms/DialogForm';
import { Icon } from '../../../ui/Icon';
import { notify } from '../../../ui/notices';
import { Failure, Skeleton, useKeepFocus } from '../../../ui/page';
import { useLoad } from '../../lists/use-load';
import { notifyIfFailed } from '../../lists/notify-if-failed';
import { TopicHeader } from '../TopicHeader';
import { HeartbeatTable } from './HeartbeatTable';

const REFRESH_INTERVAL_MS = 10_000;

/** Lists the machines that call on schedule, silent machines first. */
export function Heartbeats() {
  const { topicId = '' } = useParams<{ topicId: string }>();
  const { value, failure, reload, retry } = useLoad(topicId, readHeartbeats, HEARTBEATS_FAILED);
  const keysPath = `/admin/topics/${topicId}/keys`;
  const [heartbeatToDelete, setHeartbeatToDelete] = useState<Heartbeat>();
  useEffect(() => repeatWhileVisible(REFRESH_INTERVAL_MS, reload), []);
  useKeepFocus(value === undefined);
  const togglePause = ({ id, state }: Heartbeat) =>
    void notifyIfFailed(pauseHeartbeat(id, state !== 'paused'), HEARTBEAT_CHANGE_FAILED, reload);
  return (
    <>
      <TopicHeader topicId={topicId} title={value?.topic.title} view="Heartbeats" />
      {value?.heartbeats.length !== 0 && (
        <p>
          Machines call Fieldbell on a schedule. If a machine goes silent, we notify this topic
          once, and again when the machine is back.
        </p>
      )}
      {failure && <Failure retry={retry}>{failure}</Failure>}
      {!value && !failure && <Skeleton table />}
      {value?.heartbeats.length === 0 && (
        <EmptyList
          icon="beat"
          title="No heartbeats yet"
          hint="Let your backups and servers call Fieldbell on a schedule. If a call doesn’t come, we notify this topic."
        >
          <Link className="press" href={keysPath}>
            <Icon name="plus" />
            Create key
          </Link>
        </EmptyList>
      )}
      {value && value.heartbeats.length > 0 && (
        <HeartbeatTable
          rows={value.heartbeats}
          onPause={togglePause}
          onDelete={setHeartbeatToDelete}
        />
      )}
      {value && <Adding keys={value.heartbeats.length > 0 ? keysPath : undefined} />}
      {heartbeatToDelete && (
        <DialogForm
          title={
            <>
              Delete <bdi>{heartbeatToDelete.name}</bdi>
            </>
          }
          action="Delete heartbeat"
          busyText="Deleting…"
          question="If the machine keeps calling, the heartbeat is created again."
          submit={async () => {
            try {
              await deleteHeartbeat(heartbeatToDelete.id);
              notify('Heartbeat deleted.');
            } finally {
              reload();
            }
          }}
          explain={(thrown) => errorMessage(thrown, HEARTBEAT_DELETE_FAILED)}
          onClose={() => setHeartbeatToDelete(undefined)}
        />
      )}
    </>
  );
}

/** Without heartbeats, the page offers to create a key above. */
const Adding = ({ keys: keysPath }: { keys: string | undefined }) => (
  <section aria-labelledby="add">
    <h2 id="add">Add a heartbeat</h2>
    <div className="panel pad">
      <p>
        Run this command on the machine, for example with cron. The first call creates the
        heartbeat.
      </p>
      <CopyBar what="command">{createHeartbeatLine()}</CopyBar>
      <p>
        <code>every</code> is the expected interval in seconds. If no call comes within{' '}
        <code>every</code> plus <code>grace</code> seconds, we notify the topic. <code>grace</code>{' '}
        is optional. Its default is half of <code>every</code>, but at least a minute and at most an
        hour.
      </p>
      <small>
        <span>
          Replace <code>$KEY</code> with a key of this topic.
        </span>{' '}
        {keysPath && <Link href={keysPath}>Create key</Link>}
      </small>
    </div>
  </section>
);
