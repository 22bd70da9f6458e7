import { call, sentence } from '../api';
import { Door } from '../ui/Door';
import { FormError, Submit, useForm } from '../ui/form';
import { LastOutcome } from '../ui/Outcome';
import { agreed, NewPassword } from './NewPassword';
import { once } from './once';

const FALLBACK = 'Failed to complete registration.';
/** The one server sentence that changes the page (specification, section 2): the contract gives it no code of its own. */
const INVALID_LINK = 'Invalid or expired registration link.';

/** Completing a registration with the token of the link. */
export function Register({ token }: { token: string }) {
  const { submit, error, invalid, busy, done } = useForm(
    async ({ email = '', password = '', confirm }) => {
      agreed(password, confirm);
      const body = { token, password, email };
      // Else the link would be called used where only the answer was lost.
      await once(JSON.stringify(body), (idempotencyKey) => call('POST /api/auth/complete-registration', { body, idempotencyKey, fallback: FALLBACK }));
    },
    (thrown) => sentence(thrown, FALLBACK),
  );
  return (
    <Door title="Complete registration" heading="Complete your registration">
      {done ? (
        <LastOutcome tone="ok">Registration complete! You can now log in.</LastOutcome>
      ) : error === INVALID_LINK || !token ? (
        <LastOutcome tone="bad">
          This registration link is invalid or has already been used. If you believe this is a mistake, please contact support or request a new registration link.
        </LastOutcome>
      ) : (
        <form method="post" onSubmit={submit}>
          <FormError>{error}</FormError>
          <label>
            Email
            <input type="email" name="email" autoComplete="email" required {...invalid('email')} />
          </label>
          <NewPassword invalid={invalid} />
          <Submit busy={busy} sending="Activating…">
            Set Password & Activate
          </Submit>
        </form>
      )}
    </Door>
  );
}
