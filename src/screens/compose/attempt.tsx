import { useRef, useState, type RefObject } from 'react';
import { ApiError } from '../../api/error';
import type { SentOutcome } from '../../state/messages/messages';
import { SEND_FAILED } from '../../state/messages/composing';
import { explainSendFailure } from '../../state/messages/sending';
import { FormError } from '../../ui/forms/form';
import { notify } from '../../ui/notices';
import { useIsMounted } from '../../ui/forms/use-is-mounted';

export type SendTarget = 'all' | 'me';

interface Fault {
  sentence: string;
  /** The field's name in the form. */
  fieldName: string | undefined;
}

/** Fields that show their own errors. */
const FORM_FIELDS = [
  'to',
  'title',
  'message',
  'link',
  'priority',
  'answers',
  'sendAt',
  'expiresAt',
  'policyId',
];

/** Sends one at a time. An error appears at its field, which takes the focus. */
export function useAttempt(form: RefObject<HTMLFormElement | null>) {
  const [busyTarget, setBusyTarget] = useState<SendTarget>();
  const [fault, setFault] = useState<Fault>();
  const isSending = useRef(false);
  const isMounted = useIsMounted();
  async function attempt(target: SendTarget, act: () => Promise<void>) {
    if (isSending.current) return; // two presses may come before a button is drawn as disabled
    isSending.current = true;
    setBusyTarget(target);
    setFault(undefined);
    try {
      await act();
    } catch (thrown) {
      const sentence = explainSendFailure(thrown, SEND_FAILED);
      const fieldName = thrown instanceof ApiError ? findField(thrown.path) : undefined;
      if (!isMounted.current) notify(sentence, 'bad');
      else {
        setFault({ sentence, fieldName });
        (form.current?.elements.namedItem(fieldName ?? '') as HTMLElement | null)?.focus?.();
      }
    } finally {
      isSending.current = false;
      if (isMounted.current) setBusyTarget(undefined);
    }
  }
  const errorAt = (name: string) => (fault?.fieldName === name ? fault.sentence : undefined);
  const errorId = (name: string) => `${name}-error`;
  return {
    busy: busyTarget,
    attempt,
    isMounted,
    /** The sentence that no field shows. */
    fault: FORM_FIELDS.includes(fault?.fieldName ?? '') ? undefined : fault?.sentence,
    /** Links a field to its error. */
    invalid: (name: string) =>
      errorAt(name)
        ? { 'aria-invalid': true as const, 'aria-describedby': errorId(name) }
        : undefined,
    error: (name: string) => <FormError id={errorId(name)}>{errorAt(name)}</FormError>,
  };
}

/** Reports the outcome. Only a scheduled message needs more code. */
export function announceOutcome(outcome: SentOutcome, scheduled: boolean): void {
  const announce = () => notify(outcome.sentence, outcome.tone);
  if (scheduled)
    void import('./announce-scheduled').then(
      (module) => module.announceScheduled(outcome),
      announce,
    );
  else announce();
}

/** The form's name of a server field: `answers.0` belongs to `answers`. */
function findField(path: string | undefined): string | undefined {
  const [name] = (path ?? '').split('.');
  return name === 'topicIds' || name === 'userIds' ? 'to' : name || undefined;
}
