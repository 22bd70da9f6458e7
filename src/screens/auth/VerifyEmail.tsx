import { useEffect, useState } from 'react';
import { errorMessage } from '../../api/error';
import {
  VERIFICATION_RESEND_FAILED,
  resendVerification,
  VERIFICATION_FAILED,
  verifyEmail,
} from '../../state/account/signed-out';
import { AuthPage } from '../../ui/AuthPage';
import { Outcome, LoginLink } from '../../ui/Outcome';
import { EmailForm } from './EmailForm';

type Verification = { kind: 'running' } | { kind: 'verified' } | { kind: 'failed'; reason: string };

/** Opening the page verifies the address. After a failure, the person can request another email. */
export function VerifyEmail({ token }: { token: string }) {
  const [verification, setVerification] = useState<Verification>({ kind: 'running' });
  useEffect(() => {
    verifyEmail(token).then(
      () => setVerification({ kind: 'verified' }),
      (thrown: unknown) =>
        setVerification({
          kind: 'failed',
          reason: errorMessage(thrown, VERIFICATION_FAILED) || VERIFICATION_FAILED,
        }),
    );
  }, [token]);
  return (
    <AuthPage title="Verify email" heading="Verify your email">
      {verification.kind === 'running' && (
        <p className="note" role="status">
          Verifying…
        </p>
      )}
      {verification.kind === 'verified' && (
        <Outcome tone="ok">Email verified! You can now log in.</Outcome>
      )}
      {verification.kind === 'failed' && (
        <>
          <Outcome tone="bad">{verification.reason}</Outcome>
          <EmailForm
            request={resendVerification}
            fallback={VERIFICATION_RESEND_FAILED}
            action="Resend"
            notice="Verification email sent! Please check your inbox."
          />
        </>
      )}
      <LoginLink />
    </AuthPage>
  );
}
