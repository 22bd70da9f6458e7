import { useEffect, useState } from 'react';
import { call, sentence } from '../api';
import { Door } from '../ui/Door';
import { Outcome, ToLogin } from '../ui/Outcome';
import { EmailForm } from './EmailForm';

type Verification = { is: 'running' } | { is: 'verified' } | { is: 'failed'; why: string };

/** Verifies the address of the link when it is opened; where that fails, another mail can be asked for. */
export function VerifyEmail({ token }: { token: string }) {
  const [verification, setVerification] = useState<Verification>({ is: 'running' });
  useEffect(() => {
    const fallback = 'Failed to verify email.';
    call('GET /api/auth/verify-email/:token', { params: { token }, fallback }).then(
      () => setVerification({ is: 'verified' }),
      (thrown: unknown) => setVerification({ is: 'failed', why: sentence(thrown, fallback) || fallback }),
    );
  }, [token]);
  return (
    <Door title="Verify email" heading="Verify your email">
      {verification.is === 'running' && (
        <p className="note" role="status">
          Verifying…
        </p>
      )}
      {verification.is === 'verified' && <Outcome tone="ok">Email verified! You can now log in.</Outcome>}
      {verification.is === 'failed' && (
        <>
          <Outcome tone="bad">{verification.why}</Outcome>
          <EmailForm
            endpoint="POST /api/auth/resend-verification"
            fallback="Failed to resend verification email."
            action="Resend"
            sent="Verification email sent! Please check your inbox."
          />
        </>
      )}
      <ToLogin />
    </Door>
  );
}
