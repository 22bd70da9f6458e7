import { useState, type FormEvent } from 'react';

/**
 * A form's life: what it says and about which field, whether it is being sent, whether it is done.
 */
export type Sending =
  | { is: 'editing'; error?: string; about?: string | number | undefined }
  | { is: 'sending' }
  | { is: 'done' };

/**
 * Sends a form: `send` gets the fields by name; what it throws becomes the error, in the words of
 * `explain`, and is about
 * the field that its `path` names, if it has one. Fields keep what was typed. A second press while
 * sending does nothing.
 */
export function useForm(
  send: (fields: Record<string, string>) => Promise<void>,
  explain: (thrown: unknown) => string,
) {
  const [state, setState] = useState<Sending>({ is: 'editing' });
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (state.is === 'sending') return;
    const form = event.currentTarget;
    const fields: Record<string, string> = {};
    for (const [name, value] of new FormData(form)) fields[name] = String(value);
    setState({ is: 'sending' });
    try {
      await send(fields);
      setState({ is: 'done' });
    } catch (thrown) {
      const { path, status } = thrown as { path?: string; status?: number };
      setState({ is: 'editing', error: explain(thrown), about: path ?? status });
      (form.elements.namedItem(path ?? '') as HTMLElement | null)?.focus();
    }
  }
  const { error, about } = state.is === 'editing' ? state : { error: undefined };
  /**
   * Attributes that tie a field to the error above it, where it is about that field: by its name,
   * or by the server's status where no field is named.
   */
  const invalid = (name: string | number, id = 'error') =>
    error && name === about ? { 'aria-invalid': true as const, 'aria-describedby': id } : undefined;
  return { submit, error, invalid, busy: state.is === 'sending', done: state.is === 'done' };
}

/**
 * The place above a form's fields for its errors. It is in the page before there is anything to
 * say.
 */
export function FormError({
  id = 'error',
  children,
}: {
  id?: string;
  children: string | undefined;
}) {
  return (
    <p className="note" data-tone="bad" role="alert" id={id}>
      {children}
    </p>
  );
}

/** A button that sends: busy and out of reach while it does. */
export function Submit({
  busy,
  disabled,
  children,
  sending = children,
}: {
  busy: boolean;
  disabled?: boolean;
  children: string;
  sending?: string;
}) {
  return (
    <button type="submit" aria-busy={busy || undefined} disabled={busy || disabled}>
      {busy ? sending : children}
    </button>
  );
}
