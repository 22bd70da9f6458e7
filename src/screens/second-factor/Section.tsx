import { useState } from 'react';
import { errorMessage } from '../../api/error';
import type { BegunSecondFactor, SecondFactor } from '../../shared/contract';
import {
  BEGIN_FAILED,
  beginOwnFactor,
  CODES_FAILED,
  confirmOwnFactor,
  OFF_FAILED,
  readOwnFactor,
  renewRecoveryCodes,
  STATE_FAILED,
  turnOffFactor,
} from '../../state/account/second-factor';
import { DialogForm } from '../../ui/forms/DialogForm';
import { notify } from '../../ui/notices';
import { Failure, Skeleton } from '../../ui/page';
import { usePasswords } from '../../ui/forms/passwords';
import { useLoad } from '../lists/load';
import { CodeField } from './CodeField';
import { RecoveryCodes } from './RecoveryCodes';
import { SetUp } from './SetUp';

const ID = 'second-step';
const ASKED = 'A code of your authenticator app, or a recovery code.';

/** The second step of an administrator's own sign-in. */
export function SecondFactorSection() {
  const { value, failure, reload } = useLoad(ID, readOwnFactor, STATE_FAILED);
  if (value?.mode === 'off' && !value.isOn) return null;
  return (
    <section aria-labelledby={ID}>
      <h2 id={ID}>Second step</h2>
      {failure && <Failure retry={reload}>{failure}</Failure>}
      {!value && !failure && <Skeleton />}
      {value && <State state={value} onChange={reload} />}
    </section>
  );
}

type Doing =
  | { is: 'nothing' | 'asking' | 'switching off' | 'renewing' }
  | { is: 'setting up'; begun: BegunSecondFactor };

function State({ state, onChange }: { state: SecondFactor; onChange: () => void }) {
  const [doing, setDoing] = useState<Doing>({ is: 'nothing' });
  const { is } = doing;
  const [codes, setCodes] = useState<readonly string[]>();
  const stop = () => setDoing({ is: 'nothing' });
  if (codes)
    return (
      <RecoveryCodes
        codes={codes}
        done="I have put them away"
        onDone={() => {
          setCodes(undefined);
          onChange();
        }}
      />
    );
  if (doing.is === 'setting up')
    return (
      <SetUp
        begin={() => Promise.resolve(doing.begun)}
        onOver={(said) => {
          setDoing({ is: 'asking' });
          notify(said, 'bad');
        }}
        confirm={confirmOwnFactor}
        done="I have put them away"
        onDone={() => {
          stop();
          onChange();
        }}
      />
    );
  return (
    <>
      <ul className="panel rows">
        {state.isOn ? (
          <>
            <Row
              name="Authenticator app"
              said="Your sign-in asks for a code of it."
              action="Switch off"
              onPress={() => setDoing({ is: 'switching off' })}
            />
            <Row
              name="Recovery codes"
              said={`${state.recoveryCodesLeft} of them are not used yet.`}
              action="Make new ones"
              onPress={() => setDoing({ is: 'renewing' })}
            />
          </>
        ) : (
          <Row
            name="Authenticator app"
            said="Your sign-in asks for a code of it, too: a password alone opens nothing."
            action="Set up"
            onPress={() => setDoing({ is: 'asking' })}
          />
        )}
      </ul>
      {is === 'asking' && (
        <DialogForm
          title="Set an authenticator app up"
          action="Set up"
          meanwhile="Beginning..."
          danger={false}
          question={
            state.hasPassword
              ? 'Your password shows that it is you.'
              : 'That you logged in within the last ten minutes shows that it is you.'
          }
          send={async ({ password }) => {
            const begun = await beginOwnFactor(password);
            setDoing({ is: 'setting up', begun });
          }}
          explain={(thrown) => errorMessage(thrown, BEGIN_FAILED)}
          // By then the setup may have replaced it.
          onClose={() => setDoing((now) => (now.is === 'asking' ? { is: 'nothing' } : now))}
        >
          {(invalid) => state.hasPassword && <PasswordField {...invalid('password')} />}
        </DialogForm>
      )}
      {is === 'switching off' && (
        <DialogForm
          title="Switch the authenticator app off"
          action="Switch off"
          meanwhile="Switching off..."
          danger
          question={
            state.mode === 'required'
              ? 'Your next sign-in asks you to set up another one.'
              : 'Your sign-in then asks for the password alone.'
          }
          send={async ({ code = '' }) => {
            await turnOffFactor(code);
            notify('Authenticator app switched off.');
            onChange();
          }}
          explain={(thrown) => errorMessage(thrown, OFF_FAILED)}
          onClose={stop}
        >
          {(invalid) => <CodeField {...invalid('code')}>{ASKED}</CodeField>}
        </DialogForm>
      )}
      {is === 'renewing' && (
        <DialogForm
          title="Make new recovery codes"
          action="Make new ones"
          meanwhile="Making..."
          danger={false}
          question="Those that you have will not work any more."
          send={async ({ code = '' }) => {
            const made = await renewRecoveryCodes(code);
            stop(); // the codes take its place, so it cannot close by itself
            setCodes(made);
          }}
          explain={(thrown) => errorMessage(thrown, CODES_FAILED)}
          onClose={stop}
        >
          {(invalid) => <CodeField {...invalid('code')}>{ASKED}</CodeField>}
        </DialogForm>
      )}
    </>
  );
}

function PasswordField(marks: object) {
  const { field, checkbox } = usePasswords('Show password');
  return (
    <>
      <label>
        Password
        <input {...field} name="password" autoComplete="current-password" {...marks} />
      </label>
      {checkbox}
    </>
  );
}

const Row = ({
  name,
  said,
  action,
  onPress,
}: {
  name: string;
  said: string;
  action: string;
  onPress: () => void;
}) => (
  <li>
    <div>
      <span>
        <b>{name}</b> <span>{said}</span>
      </span>
      <button type="button" className="plain" aria-label={`${action}: ${name}`} onClick={onPress}>
        {action}
      </button>
    </div>
  </li>
);
