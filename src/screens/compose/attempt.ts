import { useRef, useState, type RefObject } from 'react';
import { ApiError } from '../../api/error';
import { SEND_FAILED } from '../../state/sending/composing';
import { explainSending } from '../../state/sending/sending';
import { notify } from '../../ui/notices';
import { useOpen } from '../../ui/forms/open';

export type Attempt = 'all' | 'me';

interface Fault {
  sentence: string;
  /** The field's name in the form. */
  about: string | undefined;
}

/** Sends one at a time. An error appears at its field, which takes the focus. */
export function useAttempt(form: RefObject<HTMLFormElement | null>) {
  const [busy, setBusy] = useState<Attempt>();
  const [fault, setFault] = useState<Fault>();
  const sending = useRef(false);
  const open = useOpen();
  async function attempt(what: Attempt, act: () => Promise<void>) {
    if (sending.current) return; // two presses may come before a button is drawn as disabled
    sending.current = true;
    setBusy(what);
    setFault(undefined);
    try {
      await act();
    } catch (thrown) {
      const sentence = explainSending(thrown, SEND_FAILED);
      const about = thrown instanceof ApiError ? fieldOf(thrown.path) : undefined;
      if (!open.current) notify(sentence, 'bad');
      else {
        setFault({ sentence, about });
        (form.current?.elements.namedItem(about ?? '') as HTMLElement | null)?.focus?.();
      }
    } finally {
      sending.current = false;
      if (open.current) setBusy(undefined);
    }
  }
  return { busy, fault, attempt, open };
}

/** The form's name of a server field: `answers.0` belongs to `answers`. */
function fieldOf(path: string | undefined): string | undefined {
  const [name] = (path ?? '').split('.');
  return name === 'topicIds' || name === 'userIds' ? 'to' : name || undefined;
}
