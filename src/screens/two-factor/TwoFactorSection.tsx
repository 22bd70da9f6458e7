import { useState } from 'react';
import { errorMessage } from '../../api/error';
import type { TwoFactorSetUp, TwoFactor } from '../../shared/contract';
import {
  TWO_FACTOR_SETUP_FAILED,
  beginOwnTwoFactor,
  RECOVERY_CODES_FAILED,
  confirmOwnTwoFactor,
  TWO_FACTOR_OFF_FAILED,
  readTwoFactor,
  renewRecoveryCodes,
  TWO_FACTOR_FAILED,
  turnOffTwoFactor,
} from '../../state/account/two-factor';
import { DialogForm } from '../../ui/forms/DialogForm';
import { notify } from '../../ui/notices';
import { Failure, Skeleton } from '../../ui/page';
import { usePasswords } from '../../ui/forms/passwords';
import { useLoad } from '../lists/use-load';
import { CodeField } from './CodeField';
import { RecoveryCodes } from './RecoveryCodes';
import { SetUp } from './SetUp';

const SECTION_ID = 'second-step';
const CODE_HINT = 'Enter a code from your authenticator app, or a recovery code.';

/** The second step of an administrator's own sign-in. */
export function TwoFactorSection() {
  const { value, failure, reload } = useLoad(SECTION_ID, readTwoFactor, TWO_FACTOR_FAILED);
  if (value?.mode === 'off' && !value.isOn) return null;
  return (
    <section aria-labelledby={SECTION_ID}>
      <h2 id={SECTION_ID}>Two-factor authentication</h2>
      {failure && <Failure retry={reload}>{failure}</Failure>}
      {!value && !failure && <Skeleton />}
      {value && <FactorList state={value} onChange={reload} />}
    </section>
  );
}

type Step =
  | { kind: 'nothing' | 'asking' | 'switching off' | 'renewing' }
  | { kind: 'setting up'; begun: TwoFactorSetUp };

function FactorList({ state, onChange }: { state: TwoFactor; onChange: () => void }) {
  const [step, setStep] = useState<Step>({ kind: 'nothing' });
  const { kind } = step;
  const [codes, setCodes] = useState<readonly string[]>();
  const endStep = () => setStep({ kind: 'nothing' });
  if (codes)
    return (
      <RecoveryCodes
        codes={codes}
        done="I’ve saved the codes"
        onDone={() => {
          setCodes(undefined);
          onChange();
        }}
      />
    );
  if (step.kind === 'setting up')
    return (
      <SetUp
        begin={() => Promise.resolve(step.begun)}
        onExpired={(message) => {
          setStep({ kind: 'asking' });
          notify(message, 'bad');
        }}
        confirm={confirmOwnTwoFactor}
        done="I’ve saved the codes"
        onDone={() => {
          endStep();
          onChange();
        }}
      />
    );
  return (
    <>
      <ul className="panel rows">
        {state.isOn ? (
          <>
            <TwoFactorRow
              name="Authenticator app"
              text="You need a code from your authenticator app to sign in."
              action="Turn off"
              onPress={() => setStep({ kind: 'switching off' })}
            />
            <TwoFactorRow
              name="Recovery codes"
              text={`${state.recoveryCodesLeft} left.`}
              action="Create new codes"
              onPress={() => setStep({ kind: 'renewing' })}
            />
          </>
        ) : (
          <TwoFactorRow
            name="Authenticator app"
            text="Require a code from an authenticator app at sign-in, so a password alone isn’t enough."
            action="Set up"
            onPress={() => setStep({ kind: 'asking' })}
          />
        )}
      </ul>
      {kind === 'asking' && (
        <DialogForm
          title="Set up an authenticator app"
          action="Set up"
          busyText="Starting…"
          danger={false}
          question={
            state.hasPassword
              ? 'Enter your password to confirm it’s you.'
              : 'You can set this up only within 10 minutes of signing in. After that, sign out and sign in again.'
          }
          submit={async ({ password }) => {
            const begun = await beginOwnTwoFactor(password);
            setStep({ kind: 'setting up', begun });
          }}
          explain={(thrown) => errorMessage(thrown, TWO_FACTOR_SETUP_FAILED)}
          // The setup may have replaced this dialog before it closes.
          onClose={() =>
            setStep((previous) => (previous.kind === 'asking' ? { kind: 'nothing' } : previous))
          }
        >
          {(invalid) => state.hasPassword && <PasswordField {...invalid('password')} />}
        </DialogForm>
      )}
      {kind === 'switching off' && (
        <DialogForm
          title="Turn off the authenticator app"
          action="Turn off"
          busyText="Turning off…"
          danger
          question={
            state.mode === 'required'
              ? 'You’ll need to set up an authenticator app again the next time you sign in.'
              : 'You’ll sign in with your password only.'
          }
          submit={async ({ code = '' }) => {
            await turnOffTwoFactor(code);
            notify('Authenticator app turned off.');
            onChange();
          }}
          explain={(thrown) => errorMessage(thrown, TWO_FACTOR_OFF_FAILED)}
          onClose={endStep}
        >
          {(invalid) => <CodeField {...invalid('code')}>{CODE_HINT}</CodeField>}
        </DialogForm>
      )}
      {kind === 'renewing' && (
        <DialogForm
          title="Create new recovery codes"
          action="Create new codes"
          busyText="Creating…"
          danger={false}
          question="Your current codes will stop working."
          submit={async ({ code = '' }) => {
            const newCodes = await renewRecoveryCodes(code);
            endStep(); // the codes replace the dialog, so it cannot close by itself
            setCodes(newCodes);
          }}
          explain={(thrown) => errorMessage(thrown, RECOVERY_CODES_FAILED)}
          onClose={endStep}
        >
          {(invalid) => <CodeField {...invalid('code')}>{CODE_HINT}</CodeField>}
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

const TwoFactorRow = ({
  name,
  text,
  action,
  onPress,
}: {
  name: string;
  text: string;
  action: string;
  onPress: () => void;
}) => (
  <li>
    <div>
      <span>
        <b>{name}</b> <span>{text}</span>
      </span>
      <button type="button" className="plain" aria-label={`${action}: ${name}`} onClick={onPress}>
        {action}
      </button>
    </div>
  </li>
);
