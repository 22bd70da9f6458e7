import { errorMessage } from '../../api/error';
import { replacePath } from '../../platform/location';
import { requestSecondStep } from '../../state/account/challenge';
import { SIGN_IN_FAILED, signIn } from '../../state/session';
import { FormError, Submit, useForm } from '../../ui/forms/form';

/** Signs in with the password just set, without typing it again. */
export function SignInNow({ username, password }: { username: string; password: string }) {
  const { onSubmit, error, busy } = useForm(
    async () => {
      const signingIn = signIn(username, password);
      await (TWO_FACTOR ? signingIn.catch(requestSecondStep) : signingIn);
      replacePath('/login'); // leads home, or to the second step
    },
    (thrown) => errorMessage(thrown, SIGN_IN_FAILED),
  );
  return (
    <form method="post" onSubmit={onSubmit}>
      <FormError>{error}</FormError>
      <Submit busy={busy} busyText="Signing in…">
        Sign in
      </Submit>
    </form>
  );
}
