import { useState } from 'react';
import { errorMessage } from '../../api/error';
import type { Topic, TopicKey } from '../../shared/contract';
import {
  curlLine,
  KEYS_FAILED,
  MAKE_FAILED,
  createTopicKey,
  readTopicKeys,
} from '../../state/topics/keys';
import { CopyBar } from '../../ui/CopyBar';
import { Dialog } from '../../ui/forms/Dialog';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { notify } from '../../ui/notices';
import { useOpen } from '../../ui/forms/open';
import { Failure, Skeleton } from '../../ui/page';
import { useLoad } from '../lists/load';
import { KeyRow } from './KeyRow';
import { RevokeKey } from './RevokeKey';

const ERROR = 'key-error';

/** A topic's keys: creating (a key is shown only once) and revoking. */
export function Keys({ topic, onClose }: { topic: Topic; onClose: () => void }) {
  const { value, failure, loading, reload, retry } = useLoad(topic.id, readTopicKeys, KEYS_FAILED);
  const [made, setMade] = useState<TopicKey & { key: string }>();
  const [name, setName] = useState('');
  const [revoking, setRevoking] = useState<TopicKey>();
  const open = useOpen();
  const { submit, error, invalid, busy } = useForm(
    async () => {
      try {
        const key = await createTopicKey(topic.id, name.trim());
        if (!open.current) notify(`Key made for “${key.name}”: ${key.key}`, 'ok', 60_000);
        setMade(key);
        setName('');
      } finally {
        // The key may exist even after a failure.
        reload();
      }
    },
    (thrown) => errorMessage(thrown, MAKE_FAILED),
  );
  return (
    <>
      <Dialog
        wide
        title={
          <>
            Keys of <bdi>{topic.title}</bdi>
          </>
        }
        onClose={onClose}
      >
        <form method="dialog" onSubmit={submit}>
          <p className="muted">
            A machine that has a key can send to this topic, and to nothing else.
          </p>
          <Made made={made} />
          {failure && <Failure retry={retry}>{failure}</Failure>}
          {!value && loading && <Skeleton />}
          {value && value.length > 0 && (
            <ul className="panel rows">
              {value.map((key) => (
                <KeyRow key={key.id} shown={key} onRevoke={() => setRevoking(key)} />
              ))}
            </ul>
          )}
          <FormError id={ERROR}>{error}</FormError>
          <label>
            Name of a new key
            <input
              type="text"
              name="name"
              autoComplete="off"
              maxLength={60}
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
              {...invalid('name', ERROR)}
            />
          </label>
          <div className="foot bar">
            <div>
              <button type="button" className="quiet" onClick={onClose}>
                Close
              </button>
              <Submit busy={busy} disabled={name.trim() === ''} sending="Making...">
                Make a key
              </Submit>
            </div>
          </div>
        </form>
      </Dialog>
      {revoking && (
        <RevokeKey
          revoked={revoking}
          onClose={() => setRevoking(undefined)}
          onDone={() => {
            if (made?.id === revoking.id) setMade(undefined);
            reload();
          }}
        />
      )}
    </>
  );
}

/** The new key, with a command that sends with it. */
const Made = ({ made }: { made: (TopicKey & { key: string }) | undefined }) => (
  <>
    <p className="note" data-tone="ok" role="status">
      {made && (
        <b>
          Key made for “<bdi>{made.name}</bdi>”. Copy it now; it is not shown again.
        </b>
      )}
    </p>
    {made && (
      <>
        <CopyBar what="key" focused>
          {made.key}
        </CopyBar>
        <p className="muted">Try it from a terminal:</p>
        <CopyBar what="curl line">{curlLine(made.key)}</CopyBar>
      </>
    )}
  </>
);
