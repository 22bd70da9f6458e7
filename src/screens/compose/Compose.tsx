import { useRef, useState, type FormEvent } from 'react';
import { Link, useLocation } from 'wouter';
import { ApiError } from '../../api/error';
import { connected } from '../../platform/connection';
import { COUNT_FAILED, countAudience } from '../../state/audience';
import {
  change,
  restore,
  SEND_FAILED,
  sendToMe,
  sendWriting,
  writing,
  type Addressee,
} from '../../state/composing';
import type { Priority } from '../../shared/contract';
import { explainSending } from '../../state/sending';
import { useOpen } from '../../ui/Dialog';
import { FormError } from '../../ui/form';
import { GrowingText } from '../../ui/GrowingText';
import { notify } from '../../ui/notices';
import { Failure, Heading } from '../../ui/page';
import { useLoad } from '../lists/load';
import { AddresseeBox, isSame } from './AddresseeBox';
import { announce } from './announce';
import { Answers } from './Answers';
import { Choice, PRIORITIES } from './Choice';
import { LinkField } from './LinkField';
import { Picked } from './Picked';
import { Preview } from './Preview';
import { peopleText, ReachLine } from './ReachLine';
import { useSettled } from './settled';
import { Templates } from './Templates';
import { Unheard } from './Unheard';
import { When } from './When';

export { MoreOptions } from './MoreOptions';

/** What the server takes. */
const MAX_LENGTH = 1000;
/** So long nothing is changed before the people are counted. */
const PAUSE_MS = 300;

const EFFECTS: Record<Priority, string> = {
  info: 'Comes without a sound.',
  normal: 'Rings once.',
  urgent: 'Rings, and stays on the screen until somebody opens or dismisses it.',
};

interface Fault {
  sentence: string;
  /** The field that it is about, by the server's name for it. */
  about: string | undefined;
}

/** Counts whom a message is for; the answer says for which question it is. */
const count = async (question: string) => {
  const [to, priority] = JSON.parse(question) as [Addressee[], Priority];
  return { question, audience: await countAudience(to, priority) };
};

/** Writes a message to any topics and people. */
export function Compose() {
  useState(restore);
  const written = writing.value;
  const { to, title, message, link, priority, answers, later, sendAt, ends, expiresAt } = written;
  const online = connected.value;
  const [busy, setBusy] = useState<'all' | 'me'>();
  const [fault, setFault] = useState<Fault>();
  const sending = useRef(false);
  const open = useOpen();
  const form = useRef<HTMLFormElement>(null);
  const [, navigate] = useLocation();

  const question = JSON.stringify([to, priority]);
  const reach = useLoad(useSettled(question, PAUSE_MS), count, COUNT_FAILED);
  const audience = reach.value?.audience;
  const counted = reach.value?.question === question ? audience : undefined;

  // The figures of before stay until the new ones are there: they do not come and go with each pick.
  const before = !reach.failure && audience?.people ? audience : undefined;
  const shown = to.length > 0 ? (counted ?? before) : undefined;

  const at = (name: string) => (fault?.about === name ? fault.sentence : undefined);
  const errorId = (name: string) => `${name}-error`;
  const invalid = (name: string) =>
    at(name) ? { 'aria-invalid': true as const, 'aria-describedby': errorId(name) } : undefined;
  const error = (name: string) => <FormError id={errorId(name)}>{at(name)}</FormError>;

  const nobody = !to.length || (counted?.people === 0 && !later);
  const unready =
    !message.trim() || (later && !sendAt) || (ends === 'time' && !expiresAt) || !online;
  const verb = later ? 'Schedule' : 'Send';

  /** One thing at a time: two presses may come before a button is drawn as disabled. */
  async function attempt(what: 'all' | 'me', act: () => Promise<void>) {
    if (sending.current) return;
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
  function submit(event: FormEvent) {
    event.preventDefault();
    if (nobody || unready) return;
    void attempt('all', async () => {
      const sent = await sendWriting(written);
      announce(sent, later);
      if (open.current) navigate(`/admin/messages/${sent.messageId}`);
    });
  }
  const sendToOneself = () =>
    void attempt('me', async () => {
      const { sentence, tone } = await sendToMe(written);
      notify(sentence, tone);
    });
  function remove(index: number) {
    change({ to: to.filter((_, other) => other !== index) });
    (form.current?.elements.namedItem('to') as HTMLElement | null)?.focus();
  }

  return (
    <>
      <Link className="back" href="/admin/messages">
        ← Messages
      </Link>
      <div className="bar">
        <Heading>New message</Heading>
        <Templates writing={written} onChange={change} />
      </div>
      <form ref={form} onSubmit={submit}>
        <div className="twin">
          <div>
            <fieldset>
              <legend>To</legend>
              <Picked
                names={to.map(({ kind, id, name }) => ({ key: `${kind}${id}`, name }))}
                onRemove={remove}
              />
              {error('to')}
              <AddresseeBox
                label="Add a topic or a person"
                picked={to}
                onPick={(one) =>
                  to.some((other) => isSame(one, other)) || change({ to: [...to, one] })
                }
                invalid={invalid('to')}
              />
              {reach.failure && to.length > 0 && (
                <Failure retry={reach.reload}>{reach.failure}</Failure>
              )}
              <div className="panel pad" hidden={!shown}>
                <p role="status">{shown && <ReachLine {...shown} />}</p>
              </div>
            </fieldset>
            <label>
              Title <span className="muted">(optional, else the topic’s)</span>
              <input
                type="text"
                name="title"
                autoComplete="off"
                dir="auto"
                maxLength={100}
                value={title}
                onInput={({ currentTarget }) => change({ title: currentTarget.value })}
                {...invalid('title')}
              />
            </label>
            {error('title')}
            {/* biome-ignore lint/a11y/noLabelWithoutControl: GrowingText is the textarea */}
            <label>
              Message
              <GrowingText
                name="message"
                rows={[4, 6]}
                maxLength={MAX_LENGTH}
                required
                value={message}
                onText={(typed) => change({ message: typed })}
                aria-invalid={at('message') ? true : undefined}
                aria-describedby={`${errorId('message')} count`}
              />
            </label>
            <p>
              <small id="count">
                {message.length.toLocaleString()} of {MAX_LENGTH.toLocaleString()} characters · the
                lock screen shows about 110
              </small>
            </p>
            {error('message')}
            <LinkField
              value={link}
              onChange={(text) => change({ link: text })}
              invalid={invalid('link')}
            />
            {error('link')}
            <fieldset>
              <Choice
                legend="Priority"
                name="priority"
                options={PRIORITIES}
                value={priority}
                onChoose={(chosen) => change({ priority: chosen })}
              />
              <small>{EFFECTS[priority]}</small>
            </fieldset>
            {error('priority')}
            <Answers
              answers={answers}
              onChange={(changed) => change({ answers: changed })}
              invalid={invalid('answers')}
            />
            {error('answers')}
            <When writing={written} onChange={change} invalid={invalid} />
            {error('sendAt')}
            {error('expiresAt')}
          </div>
          <aside aria-label="Preview and people">
            <Preview writing={written} />
            {shown && <Unheard to={to} audience={shown} />}
          </aside>
        </div>
        <div className="foot">
          <FormError id="error">{fault && !isShown(fault) ? fault.sentence : undefined}</FormError>
          <p className="chip offline" data-tone="warn" role="status" hidden={online}>
            {!online && 'Offline. You can send it when you are connected again. It is kept here.'}
          </p>
          <div className="bar">
            <small role="status">
              {nobody
                ? 'Nobody is in the audience.'
                : counted &&
                  `${counted.reachable.toLocaleString()} of ${counted.people.toLocaleString()} can be reached`}
            </small>
            <div>
              <button
                type="button"
                className="plain"
                aria-busy={busy === 'me' || undefined}
                disabled={!message.trim() || !online || busy !== undefined}
                onClick={sendToOneself}
              >
                Send to me first
              </button>
              <button
                type="submit"
                aria-busy={busy === 'all' || undefined}
                disabled={nobody || unready || busy !== undefined || (!counted && !reach.failure)}
              >
                {counted && to.length
                  ? `${verb} ${later ? 'for' : 'to'} ${peopleText(counted.people)}`
                  : verb}
              </button>
            </div>
          </div>
        </div>
      </form>
    </>
  );
}

const SHOWN = ['to', 'title', 'message', 'link', 'priority', 'answers', 'sendAt', 'expiresAt'];
const isShown = ({ about }: Fault): boolean => SHOWN.includes(about ?? '');

/** The form's name for what the server says is wrong: `answers.0` is one of the answers. */
function fieldOf(path: string | undefined): string | undefined {
  const [name] = (path ?? '').split('.');
  return name === 'topicIds' || name === 'userIds' ? 'to' : name || undefined;
}
