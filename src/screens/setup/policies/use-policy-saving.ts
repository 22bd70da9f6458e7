import { useRef, useState, type RefObject } from 'react';
import { ApiError, errorMessage } from '../../../api/error';
import { POLICY_SAVE_FAILED, savePolicy } from '../../../state/setup/policies';
import {
  sortSteps,
  toPolicy,
  applySavedPolicy,
  type PolicyDraft,
} from '../../../state/setup/policy-draft';
import { notify } from '../../../ui/notices';
import { useIsMounted } from '../../../ui/forms/use-is-mounted';

interface Fault {
  sentence: string;
  /** The field's name in the form, or empty. */
  fieldName: string;
}

/**
 * An error appears at its field, which takes the focus.
 * @param onSettled called afterwards: it may be saved even after a failure
 */
export function usePolicySaving(form: RefObject<HTMLFormElement | null>, onSettled: () => void) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const isSaving = useRef(false);
  const isMounted = useIsMounted();

  async function save(draft: PolicyDraft) {
    if (isSaving.current) return; // two presses may come before a button is drawn as disabled
    isSaving.current = true;
    setBusy(true);
    setFault(undefined);
    try {
      applySavedPolicy(draft, await savePolicy(draft.id, toPolicy(draft)));
      notify(draft.id === undefined ? 'Policy added.' : 'Policy saved.');
    } catch (thrown) {
      const sentence = errorMessage(thrown, POLICY_SAVE_FAILED);
      const path = thrown instanceof ApiError ? (thrown.path ?? '') : '';
      const fieldName = findFieldName(path, draft);
      const field = form.current?.elements.namedItem(
        fieldName === 'steps' ? `${draft.steps[0]?.key}.after` : fieldName,
      );
      if (!isMounted.current) notify(sentence, 'bad');
      else {
        setFault({ sentence, fieldName: field ? fieldName : '' });
        if (field instanceof HTMLElement) field.focus();
      }
    } finally {
      isSaving.current = false;
      if (isMounted.current) setBusy(false);
      setTimeout(() => {
        // The button was disabled meanwhile and lost the focus.
        if (document.activeElement === document.body)
          form.current?.querySelector<HTMLElement>('[type="submit"]')?.focus();
        onSettled();
      });
    }
  }
  return { busy, fault, save };
}

/** The form's name of a server field such as `steps.1.after`; steps were sent in order. */
function findFieldName(path: string, draft: PolicyDraft): string {
  const [, place, field] = /^steps\.(\d+)\.(\w+)$/.exec(path) ?? [];
  return field ? `${sortSteps(draft)[Number(place)]?.key}.${field}` : path;
}
