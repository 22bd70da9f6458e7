import { useEffect, useState } from 'react';
import { call, sentence } from '../api';
import { Door } from '../ui/Door';
import { FormError, Submit, useForm } from '../ui/form';

type Verification = { is: 'running' } | { is: 'verified' } | { is: 'failed'; why: string };

/** Verifies the address of the link when it is opened; where that fails, another mail can be asked for. */
export function VerifyEmail({ token }: { token: string }) {
  const [verification, setVerification] = useState<Verification>({ is: 'running' });
  useEffect(() => {
    const fallback = 'Failed to verify email.';
    call('GET /api/auth/verify-email/:token', { params: { token }, fallback }).then(
      () => setVerification({ is: 'verified' }),
      (thrown: unknown) => setVerification({ is: 'failed', why: sentence(thrown, fallback) }),
    );
  }, [token]);
  return (
    <Door title="Verify email" heading="Verify your email">
      {verification.is === 'running' && (
        <p className="note" role="status">
          Verifying…
        </p>
      )}
      {verification.is === 'verified' && (
        <p className="note" data-tone="ok" role="status">
          Email verified! You can now log in.
        </p>
      )}
      {verification.is === 'failed' && (
        <>
          <p className="note" data-tone="bad" role="alert">
            {verification.why}
          </p>
          <Resend />
        </>
      )}
      <a className="alone" href="/login">
        Go to login
      </a>
    </Door>
  );
}

function Resend() {
  const fallback = 'Failed to resend verification email.';
  const { submit, error, invalid, busy, done } = useForm(
    async ({ email = '' }) => {
      await call('POST /api/auth/resend-verification', { body: { email }, fallback });
    },
    (thrown) => sentence(thrown, fallback),
  );
  if (done) {
    return (
      <p className="note" data-tone="ok" role="status">
        Verification email sent! Please check your inbox.
      </p>
    );
  }
  return (
    <form method="post" onSubmit={submit}>
      <FormError>{error}</FormError>
      <label>
        Email
        <input type="email" name="email" autoComplete="email" required {...invalid('email')} />
      </label>
      <Submit busy={busy} sending="Sending…">
        Resend
      </Submit>
    </form>
  );
}
