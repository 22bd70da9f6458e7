import { errorMessage } from '../../api/error';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { Outcome } from '../../ui/Outcome';

interface Props {
  ask: (email: string) => Promise<unknown>;
  fallback: string;
  action: string;
  /** The sentence after the form is sent. */
  notice: string;
}

/** Requests a mail. The response is the same whether or not the account exists. */
export function EmailForm({ ask, fallback, action, notice }: Props) {
  const { submit, error, invalid, busy, done } = useForm(
    async ({ email = '' }) => {
      await ask(email);
    },
    (thrown) => errorMessage(thrown, fallback),
  );
  if (done) return <Outcome tone="ok">{notice}</Outcome>;
  return (
    <form method="post" onSubmit={submit}>
      <FormError>{error}</FormError>
      <label>
        Email
        <input type="email" name="email" autoComplete="email" required {...invalid('email')} />
      </label>
      <Submit busy={busy} sending="Sending…">
        {action}
      </Submit>
    </form>
  );
}
