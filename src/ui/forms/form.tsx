import { useState, type FormEvent } from 'react';

/** The state of a form; `source` is the invalid field's name, or the server's status. */
export type FormState =
  | { kind: 'editing'; error?: string; source?: string | number | undefined }
  | { kind: 'submitting' }
  | { kind: 'done' };

/**
 * `submit` gets the fields by name; what it throws is shown in the words of `explain`, and focuses
 * the field in its `path`. A second press while submitting does nothing.
 */
export function useForm(
  submit: (fields: Record<string, string>) => Promise<void>,
  explain: (thrown: unknown) => string,
) {
  const [state, setState] = useState<FormState>({ kind: 'editing' });
  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (state.kind === 'submitting') return;
    const form = event.currentTarget;
    const fields: Record<string, string> = {};
    for (const [name, value] of new FormData(form)) fields[name] = String(value);
    setState({ kind: 'submitting' });
    try {
      await submit(fields);
      setState({ kind: 'done' });
    } catch (thrown) {
      const { path, status } = thrown as { path?: string; status?: number };
      setState({ kind: 'editing', error: explain(thrown), source: path ?? status });
      (form.elements.namedItem(path ?? '') as HTMLElement | null)?.focus();
    }
  }
  const { error, source } = state.kind === 'editing' ? state : { error: undefined };
  /** Links a field to its error: by its name, or by the server's status if no field is named. */
  const invalid = (name: string | number, id = 'error') =>
    error && name === source
      ? { 'aria-invalid': true as const, 'aria-describedby': id }
      : undefined;
  return {
    onSubmit,
    error,
    invalid,
    busy: state.kind === 'submitting',
    done: state.kind === 'done',
  };
}

/** The place for a form's error. Rendered even when empty, so that screen readers announce it. */
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

export function Submit({
  busy,
  disabled,
  children,
  busyText = children,
}: {
  busy: boolean;
  disabled?: boolean;
  children: string;
  busyText?: string;
}) {
  return (
    <button type="submit" aria-busy={busy || undefined} disabled={busy || disabled}>
      {busy ? busyText : children}
    </button>
  );
}
