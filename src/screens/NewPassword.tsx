import { ApiError } from '../api';

/** @throws {ApiError} about the second field, where the two are not the same */
export function agreed(password: string, confirm: string | undefined): void {
  if (password !== confirm) throw new ApiError('refused', 'Passwords do not match.', 0, undefined, 'confirm');
}

/** The two fields in which a new password is chosen. Nothing else about it is checked here: the server does that. */
export function NewPassword({ invalid }: { invalid: (name: string) => object | undefined }) {
  return (
    <>
      <label>
        New password
        <input type="password" name="password" autoComplete="new-password" required {...invalid('password')} />
      </label>
      <label>
        Confirm password
        <input type="password" name="confirm" autoComplete="new-password" required {...invalid('confirm')} />
      </label>
    </>
  );
}
