import { invalid } from '../ui/form';

export const MISMATCH = 'Passwords do not match.';

/** The two fields in which a new password is chosen. Nothing else about it is checked here: the server does that. */
export function NewPassword({ error }: { error: string | undefined }) {
  return (
    <>
      <label>
        New password
        <input type="password" name="password" autoComplete="new-password" required {...(error !== MISMATCH ? invalid(error) : undefined)} />
      </label>
      <label>
        Confirm password
        <input type="password" name="confirm" autoComplete="new-password" required {...invalid(error)} />
      </label>
    </>
  );
}
