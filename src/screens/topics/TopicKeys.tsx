import { useState } from 'react';
import { errorMessage } from '../../api/error';
import type { Topic, TopicKey } from '../../shared/contract';
import {
  createCurlLine,
  KEYS_FAILED,
  KEY_CREATE_FAILED,
  createTopicKey,
  readTopicKeys,
} from '../../state/topics/keys';
import { CopyBar } from '../../ui/CopyBar';
import { Dialog } from '../../ui/forms/Dialog';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { notify } from '../../ui/notices';
import { useIsMounted } from '../../ui/forms/use-is-mounted';
import { Failure, Skeleton } from '../../ui/page';
import { useLoad } from '../lists/use-load';
import { KeyRow } from './KeyRow';
import { RevokeKey } from './RevokeKey';

const ERROR_ID = 'key-error';

interface Props {
  topic: Topic;
  /** A dialog passes its close function. */
  onClose?: () => void;
}

/** A topic's keys: creating (a key is shown only once) and revoking. */
export function TopicKeys({ topic, onClose }: Props) {
  const { value, failure, loading, reload, retry } = useLoad(topic.id, readTopicKeys, KEYS_FAILED);
  const [createdKey, setCreatedKey] = useState<TopicKey & { key: string }>();
  const [name, setName] = useState('');
  const [keyToRevoke, setKeyToRevoke] = useState<TopicKey>();
  const isMounted = useIsMounted();
  const { onSubmit, error, invalid, busy } = useForm(
    async () => {
      try {
        const key = await createTopicKey(topic.id, name.trim());
        if (!isMounted.current) notify(`Key created for “${key.name}”: ${key.key}`, 'ok', 60_000);
        setCreatedKey(key);
        setName('');
      } finally {
        // The key may exist even after a failure.
        reload();
      }
    },
    (thrown) => errorMessage(thrown, KEY_CREATE_FAILED),
  );
  const form = (
    <form className={onClose ? undefined : 'panel pad'} method="dialog" onSubmit={onSubmit}>
      <p className="muted">A machine with a key can send only to this topic.</p>
      <CreatedKey created={createdKey} />
      {failure && <Failure retry={retry}>{failure}</Failure>}
      {!value && loading && <Skeleton />}
      {value && value.length > 0 && (
        <ul className="panel rows">
          {value.map((key) => (
            <KeyRow key={key.id} shown={key} onRevoke={() => setKeyToRevoke(key)} />
          ))}
        </ul>
      )}
      <FormError id={ERROR_ID}>{error}</FormError>
      <label>
        Name of the new key
        <input
          type="text"
          name="name"
          dir="auto"
          autoComplete="off"
          maxLength={60}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
          {...invalid('name', ERROR_ID)}
        />
      </label>
      <div className={onClose ? 'foot bar' : 'bar'}>
        <div>
          {onClose && (
            <button type="button" className="quiet" onClick={onClose}>
              Close
            </button>
          )}
          <Submit busy={busy} disabled={name.trim() === ''} busyText="Creating…">
            Create key
          </Submit>
        </div>
      </div>
    </form>
  );
  return (
    <>
      {onClose ? (
        <Dialog
          wide
          title={
            <>
              Keys of <bdi>{topic.title}</bdi>
            </>
          }
          onClose={onClose}
        >
          {form}
        </Dialog>
      ) : (
        form
      )}
      {keyToRevoke && (
        <RevokeKey
          revoked={keyToRevoke}
          onClose={() => setKeyToRevoke(undefined)}
          onDone={() => {
            if (createdKey?.id === keyToRevoke.id) setCreatedKey(undefined);
            reload();
          }}
        />
      )}
    </>
  );
}

/** The new key, with a command that sends with it. */
const CreatedKey = ({ created }: { created: (TopicKey & { key: string }) | undefined }) => (
  <>
    <p className="note" data-tone="ok" role="status">
      {created && (
        <b>
          Key created for “<bdi>{created.name}</bdi>”. Copy it now. It won’t be shown again.
        </b>
      )}
    </p>
    {created && (
      <>
        <CopyBar what="key" focused>
          {created.key}
        </CopyBar>
        <p className="muted">Try it from a terminal:</p>
        <CopyBar what="command">{createCurlLine(created.key)}</CopyBar>
      </>
    )}
  </>
);
