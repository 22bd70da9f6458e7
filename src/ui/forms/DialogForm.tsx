import { useId, type ReactNode } from 'react';
import { Dialog } from './Dialog';
import { useIsMounted } from './use-is-mounted';
import { FormError, useForm } from './form';
import { notify } from '../notices';

interface FormProps {
  /** The button's label, and its label while busy. */
  action: string;
  busyText: string;
  /** The label replaces Cancel in dialogs whose action itself cancels something. */
  dismiss?: string;
  /** Cannot be undone. */
  danger?: boolean;
  /** Read out with the title. */
  question?: ReactNode;
  questionId?: string;
  disabled?: boolean;
  /** The form shows thrown errors above the fields, or as a notice if the dialog was closed. */
  submit: (fields: Record<string, string>) => Promise<void>;
  explain: (thrown: unknown) => string;
  onClose: () => void;
  /** `invalid` marks fields as wrong (see `useForm`). */
  children?: ReactNode | ((invalid: (name: string) => object | undefined) => ReactNode);
}

/** A one-step task: fields or a question, Cancel, and the action's button. */
export function DialogForm({ title, ...rest }: FormProps & { title: ReactNode }) {
  const questionId = useId();
  return (
    <Dialog
      title={title}
      describedBy={rest.question ? questionId : undefined}
      onClose={rest.onClose}
    >
      <ActionForm questionId={questionId} {...rest} />
    </Dialog>
  );
}

/** The form alone, for a dialog of several steps. */
export function ActionForm({
  action,
  busyText,
  dismiss = 'Cancel',
  question,
  questionId,
  danger = question !== undefined,
  disabled,
  submit,
  explain,
  onClose,
  children,
}: FormProps) {
  const isMounted = useIsMounted();
  const { onSubmit, error, invalid, busy } = useForm(async (fields) => {
    try {
      await submit(fields);
      if (isMounted.current) onClose();
    } catch (thrown) {
      if (isMounted.current) throw thrown;
      notify(explain(thrown), 'bad');
    }
  }, explain);
  const reasonId = useId();
  return (
    <form method="dialog" onSubmit={onSubmit} aria-describedby={reasonId}>
      <FormError id={reasonId}>{error}</FormError>
      {question && <p id={questionId}>{question}</p>}
      {typeof children === 'function' ? children((name) => invalid(name, reasonId)) : children}
      <div className="foot bar">
        <div>
          <button type="button" className="quiet" onClick={onClose}>
            {dismiss}
          </button>
          <button
            type="submit"
            className={danger ? 'danger' : undefined}
            aria-busy={busy || undefined}
            disabled={busy || disabled}
          >
            {busy ? busyText : action}
          </button>
        </div>
      </div>
    </form>
  );
}
