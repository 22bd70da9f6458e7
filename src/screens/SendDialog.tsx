import { useEffect, useRef, useState, type FormEvent } from 'react';
import type { Topic } from '../contract';
import { Dialog, useOpen } from '../ui/Dialog';
import { FormError } from '../ui/form';
import { GrowingText } from '../ui/GrowingText';
import { say } from '../ui/notices';
import { amount } from '../ui/Pager';
import { useLoad } from './load';
import { Progress } from './Progress';
import { explainSending, sendDraft, type Draft, type Sent } from './send';
import { announceSent } from './SentNotice';
import { readSubscribers, SUBSCRIBERS_FAILED } from './topic';

/** After success the dialog stays so long (specification, section 9). */
const CLOSES_MS = 1500;
/** What the server takes. */
const LONGEST = 1000;

type State = { is: 'writing'; error?: string } | { is: 'sending' } | { is: 'sent'; sent: Sent };

/** Writes a message to everyone subscribed to a topic. */
export function SendDialog({ topic, draft, onClose }: { topic: Topic; draft: Draft; onClose: () => void }) {
  const subscribers = useLoad(topic.id, readSubscribers, SUBSCRIBERS_FAILED);
  const [text, setText] = useState(draft.text);
  const [state, setState] = useState<State>({ is: 'writing' });
  const open = useOpen();
  const sending = useRef(false); // two presses may come before the button is drawn as disabled

  /** However the dialog closes, its good news stays for a while. */
  function close() {
    if (state.is === 'sent') announceSent(state.sent);
    onClose();
  }
  useEffect(() => {
    if (state.is !== 'sent') return;
    const timer = setTimeout(close, CLOSES_MS);
    return () => clearTimeout(timer);
  }, [state]);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (sending.current || state.is === 'sent' || !text.trim()) return;
    sending.current = true;
    setState({ is: 'sending' });
    try {
      const sent = await sendDraft(topic.id, draft);
      if (open.current) setState({ is: 'sent', sent });
      else announceSent(sent);
    } catch (thrown) {
      const error = explainSending(thrown);
      if (open.current) setState({ is: 'writing', error });
      else say(error, 'bad');
    }
    sending.current = false;
  }

  const error = state.is === 'writing' ? state.error : undefined;
  return (
    <Dialog title="Send notification" onClose={close}>
      <form method="dialog" onSubmit={(event) => void submit(event)}>
        <FormError>{error}</FormError>
        <p className="note" data-tone="ok" role="status">
          {state.is === 'sent' && (
            <>
              {state.sent.sentence} <Progress messageId={state.sent.messageId} />
            </>
          )}
        </p>
        <p className="bar">
          <b>
            <bdi>{topic.title}</bdi>
          </b>
          <small role="status">{subscribers.value ? amount(subscribers.value.length, 'subscriber') : subscribers.failure}</small>
        </p>
        <label>
          Message
          <GrowingText
            name="message"
            rows={[3, 6]}
            maxLength={LONGEST}
            required
            readOnly={state.is !== 'writing'}
            value={text}
            onText={(typed) => setText((draft.text = typed))}
            aria-describedby="error count"
          />
        </label>
        <div className="bar">
          <small id="count">
            {text.length.toLocaleString()} of {LONGEST.toLocaleString()} characters
          </small>
          <div>
            <button type="button" className="quiet" onClick={close}>
              {state.is === 'sent' ? 'Close' : 'Cancel'}
            </button>
            <button type="submit" aria-busy={state.is === 'sending' || undefined} disabled={state.is !== 'writing' || !text.trim()}>
              {state.is === 'sending' ? 'Sending...' : 'Send'}
            </button>
          </div>
        </div>
      </form>
    </Dialog>
  );
}
