import { useState } from 'react';
import { errorMessage } from '../../api/error';
import type { Passkey, Passkeys } from '../../shared/contract';
import {
  addPasskey,
  PASSKEY_ADD_FAILED,
  PASSKEY_REMOVE_FAILED,
  PASSKEYS_FAILED,
  readPasskeys,
  removePasskey,
} from '../../state/account/passkeys';
import { DialogForm } from '../../ui/forms/DialogForm';
import { usePasswords } from '../../ui/forms/passwords';
import { notify } from '../../ui/notices';
import { Failure, Skeleton } from '../../ui/page';
import { Day } from '../../ui/values/Day';
import { useLoad } from '../lists/use-load';

const SECTION_ID = 'passkeys';

export function PasskeySection() {
  const { value, failure, reload } = useLoad(SECTION_ID, readPasskeys, PASSKEYS_FAILED);
  if (value && !value.isOn && value.passkeys.length === 0) return null;
  return (
    <section aria-labelledby={SECTION_ID}>
      <h2 id={SECTION_ID}>Passkeys</h2>
      {failure && <Failure retry={reload}>{failure}</Failure>}
      {!value && !failure && <Skeleton />}
      {value && <State state={value} onChange={reload} />}
    </section>
  );
}

function State({ state, onChange }: { state: Passkeys; onChange: () => void }) {
  const [adding, setAdding] = useState(false);
  const [passkeyToRemove, setPasskeyToRemove] = useState<Passkey>();
  return (
    <>
      <p>
        {state.hasPassword
          ? 'Sign in with your fingerprint, face or screen lock instead of your password. Your password still works.'
          : 'You sign in with your company account, so you can’t add a passkey here.'}
      </p>
      {state.passkeys.length > 0 && (
        <ul className="panel rows">
          {state.passkeys.map((passkey) => (
            <PasskeyRow
              key={passkey.id}
              passkey={passkey}
              onRemove={() => setPasskeyToRemove(passkey)}
            />
          ))}
        </ul>
      )}
      {state.isOn && state.hasPassword && (
        <button type="button" className="plain" onClick={() => setAdding(true)}>
          Add passkey
        </button>
      )}
      <p>
        <small className="muted">
          Changing your password or signing out everywhere removes all passkeys.
        </small>
      </p>
      {adding && (
        <DialogForm
          title="Add passkey"
          action="Add passkey"
          busyText="Adding…"
          danger={false}
          question="Give the passkey a name, and enter your password to confirm it’s you."
          submit={async ({ name = '', password = '' }) => {
            await addPasskey(name, password);
            notify('Passkey added.');
            onChange();
          }}
          explain={(thrown) => errorMessage(thrown, PASSKEY_ADD_FAILED)}
          onClose={() => setAdding(false)}
        >
          {(invalid) => <Fields invalid={invalid} />}
        </DialogForm>
      )}
      {passkeyToRemove && (
        <DialogForm
          title="Remove passkey"
          action="Remove"
          busyText="Removing…"
          question="You won’t be able to sign in with this passkey. Your device may still offer it until you delete it there."
          submit={async () => {
            await removePasskey(passkeyToRemove.id);
            notify('Passkey removed.');
            onChange();
          }}
          explain={(thrown) => errorMessage(thrown, PASSKEY_REMOVE_FAILED)}
          onClose={() => setPasskeyToRemove(undefined)}
        />
      )}
    </>
  );
}

function Fields({ invalid }: { invalid: (name: string) => object | undefined }) {
  const { field, checkbox } = usePasswords('Show password');
  return (
    <>
      <label>
        Name
        <input type="text" name="name" maxLength={60} required {...invalid('name')} />
      </label>
      <label>
        Password
        <input
          {...field}
          name="password"
          autoComplete="current-password"
          required
          {...invalid('password')}
        />
      </label>
      {checkbox}
    </>
  );
}

const PasskeyRow = ({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) => (
  <li>
    <div>
      <span>
        <b>
          <bdi>{passkey.name}</bdi>
        </b>{' '}
        {passkey.lastUsedAt ? (
          <span>
            Added <Day iso={passkey.createdAt} /> · last used <Day iso={passkey.lastUsedAt} />
          </span>
        ) : (
          <span>
            Added <Day iso={passkey.createdAt} /> · never used
          </span>
        )}
      </span>
      <button
        type="button"
        className="plain"
        aria-label={`Remove: ${passkey.name}`}
        onClick={onRemove}
      >
        Remove
      </button>
    </div>
  </li>
);
