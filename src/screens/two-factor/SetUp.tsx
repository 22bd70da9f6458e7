import { useEffect, useState } from 'react';
import { errorMessage, type ApiError } from '../../api/error';
import type { TwoFactorSetUp } from '../../shared/contract';
import { TWO_FACTOR_SETUP_FAILED, CODE_CHECK_FAILED } from '../../state/account/two-factor';
import { CopyBar } from '../../ui/CopyBar';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { Failure, Skeleton } from '../../ui/page';
import { QrCode } from '../../ui/values/QrCode';
import { CodeField } from './CodeField';
import { RecoveryCodes } from './RecoveryCodes';

const ERROR_ID = 'set-up-error';

interface Props {
  begin: () => Promise<TwoFactorSetUp>;
  /** Called if the setup expired. By default, the setup starts again. */
  onExpired?: (message: string) => void;
  confirm: (begun: string, code: string) => Promise<readonly string[]>;
  onDone: () => unknown;
  /** The last button's label. */
  done: string;
}

/** Setting up an authenticator app: its secret, a code, and the recovery codes. */
export function SetUp({ begin, onExpired, confirm, onDone, done }: Props) {
  const [begunSetUp, setBegunSetUp] = useState<TwoFactorSetUp>();
  const [failure, setFailure] = useState('');
  const [codes, setCodes] = useState<readonly string[]>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let unmounted = false;
    setFailure('');
    begin().then(
      (value) => unmounted || setBegunSetUp(value),
      (thrown: unknown) => unmounted || setFailure(errorMessage(thrown, TWO_FACTOR_SETUP_FAILED)),
    );
    return () => {
      unmounted = true;
    };
  }, [attempt]);
  const { onSubmit, error, invalid, busy } = useForm(
    async ({ code = '' }) => {
      try {
        setCodes(await confirm(begunSetUp?.begun ?? '', code));
      } catch (thrown) {
        // The setup expired, and a new secret is needed.
        const { status, path, message } = thrown as ApiError;
        const isOver = status === 400 && path === undefined;
        if (isOver && onExpired) return onExpired(message);
        if (isOver) setAttempt((previous) => previous + 1);
        throw thrown;
      }
    },
    (thrown) => errorMessage(thrown, CODE_CHECK_FAILED),
  );
  if (codes) return <RecoveryCodes codes={codes} onDone={onDone} done={done} />;
  if (failure)
    return <Failure retry={() => setAttempt((previous) => previous + 1)}>{failure}</Failure>;
  if (!begunSetUp) return <Skeleton />;
  return (
    <form method="post" onSubmit={onSubmit}>
      <p>
        Scan this code with your authenticator app. If the app is on this device,{' '}
        <a href={begunSetUp.link}>open this link</a> instead, or enter the key.
      </p>
      <QrCode text={begunSetUp.link} label="QR code with the setup key" />
      <CopyBar what="key">{groupInFours(begunSetUp.secret)}</CopyBar>
      <FormError id={ERROR_ID}>{error}</FormError>
      <CodeField {...invalid('code', ERROR_ID)}>Enter the 6 digits the app shows now.</CodeField>
      <Submit busy={busy} busyText="Checking…">
        Confirm
      </Submit>
    </form>
  );
}

/** Easier to read; authenticator apps ignore the spaces. */
const groupInFours = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ');
