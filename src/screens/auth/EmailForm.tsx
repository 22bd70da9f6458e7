import { errorMessage } from '../../api/error';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { Outcome } from '../../ui/Outcome';

interface Props {
  request: (email: string) => Promise<unknown>;
  fallback: string;
  action: string;
  /** The sentence after the form is sent. */
  notice: string;
}

/** Requests a mail. The response is the same whether or not the account exists. */
export function EmailForm({ request, fallback, action, notice }: Props) {
  const { onSubmit, error, invalid, busy, done } = useForm(
    async ({ email = '' }) => {
      await request(email);
    },
    (thrown) => errorMessage(thrown, fallback),
  );
  if (done) return <Outcome tone="ok">{notice}</Outcome>;
  return (
    <form method="post" onSubmit={onSubmit}>
      <FormError>{error}</FormError>
      <label>
        Email
        <input type="email" name="email" autoComplete="email" required {...invalid('email')} />
      </label>
      <Submit busy={busy} busyText="Sending…">
        {action}
      </Submit>
    </form>
  );
}
