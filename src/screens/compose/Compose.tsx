import { useRef, useState, type FormEvent } from 'react';
import { Link, useLocation } from 'wouter';
import { connected } from '../../platform/connection';
import { AUDIENCE_COUNT_FAILED, countComposedAudience } from '../../state/sending/audience';
import { needsReview, UNDO_SECONDS } from '../../state/sending/caution';
import {
  changeComposed,
  isBegun,
  restoreComposed,
  sendToMe,
  sendComposed,
  composedTitle,
  composedMessage,
  type Addressee,
} from '../../state/sending/composing';
import type { Priority } from '../../shared/contract';
import { FormError } from '../../ui/forms/form';
import { GrowingText } from '../../ui/forms/GrowingText';
import { lazy } from '../../ui/lazy';
import { notify } from '../../ui/notices';
import { Failure, Heading } from '../../ui/page';
import { timeText } from '../../ui/values/When';
import { useLoad } from '../lists/load';
import { AddresseeBox, isSame, KINDS } from './audience/AddresseeBox';
import { announce } from './announce';
import { useAttempt } from './attempt';
import { AnswerFields } from './options/AnswerFields';
import { Choice } from '../../ui/forms/Choice';
import { PRIORITIES } from './options/priorities';
import { FirstTopic } from './options/FirstTopic';
import { LinkField } from './options/LinkField';
import { Picked } from './Picked';
import { Preview } from './Preview';
import { ReachLine } from './audience/ReachLine';
import { ReviewDialog } from './review/ReviewDialog';
import { announceHeld, announceUndone, countDown } from './review/undo';
import { SendBar } from './SendBar';
import { useSettled } from './settled';
import { Templates } from './Templates';
import { WhenFields } from './options/WhenFields';

export { MoreOptions } from './options/MoreOptions';
export { ReviewDialog } from './review/ReviewDialog';
export { announceHeld, announceUndone, countDown } from './review/undo';

/** Not all audiences need it. */
const NotNotified = lazy(() =>
  import('./audience/NotNotified').then((module) => module.NotNotified),
);

/** The server's limit. */
const MAX_LENGTH = 1000;
/** How long to wait for more changes before counting. */
const PAUSE_MS = 300;

const EFFECTS: Record<Priority, string> = {
  info: 'Arrives without a sound. During quiet hours it’s held until they end.',
  normal: 'Sounds once, even during quiet hours.',
  urgent:
    'Sounds and stays on the screen until someone opens or dismisses it, even during quiet hours.',
};

/** The answer includes its question, to tell it from older ones. */
const count = async (question: string) => {
  const [to, priority] = JSON.parse(question) as [Addressee[], Priority];
  return { question, audience: await countComposedAudience(to, priority) };
};

/** Fields that show their own errors. */
const FIELDS = [
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

export function Compose() {
  useState(restoreComposed);
  const written = composedMessage.value;
  const { to, title, message, link, priority, answers, later, sendAt, ends, expiresAt } = written;
  const online = connected.value;
  const form = useRef<HTMLFormElement>(null);
  const { busy, fault, attempt, open } = useAttempt(form);
  const [reviewing, setReviewing] = useState(false);
  const [, navigate] = useLocation();

  const question = JSON.stringify([to, priority]);
  const reach = useLoad(useSettled(question, PAUSE_MS), count, AUDIENCE_COUNT_FAILED);
  const audience = reach.value?.audience;
  const counted = reach.value?.question === question ? audience : undefined;

  // Old counts stay until the new ones are there, so they do not flicker.
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

  const topic = to.find(({ kind }) => kind === 'topic');
  function submit(event: FormEvent) {
    event.preventDefault();
    if (nobody || unready) return;
    if (needsReview(counted?.people, priority)) setReviewing(true);
    else send(false);
  }
  function send(canUndo: boolean) {
    void attempt('all', async () => {
      const isHeld = canUndo && counted?.canUndo === true;
      if (canUndo && !isHeld && !(await countDown('Sending'))) return;
      const sent = await sendComposed(written, isHeld ? UNDO_SECONDS : 0);
      if (isHeld) announceHeld(sent.messageId, takeBack);
      else announce(sent, later);
      if (open.current) navigate(`/admin/messages/${sent.messageId}`);
    });
  }
  function takeBack() {
    if (!isBegun(composedMessage.peek())) changeComposed(written);
    announceUndone('/admin/messages/new');
  }
  const sendToOneself = () =>
    void attempt('me', async () => {
      const { sentence, tone } = await sendToMe(written);
      notify(sentence, tone);
    });
  function remove(index: number) {
    changeComposed({ to: to.filter((_, other) => other !== index) });
    (form.current?.elements.namedItem('to') as HTMLElement | null)?.focus();
  }

  return (
    <>
      <Link className="back" href="/admin/messages">
        ← Messages
      </Link>
      <div className="bar">
        <Heading>New message</Heading>
        <Templates writing={written} onChange={changeComposed} />
      </div>
      <form ref={form} onSubmit={submit}>
        <div className="twin">
          <div>
            <fieldset>
              <legend>To</legend>
              <Picked
                names={to.map(({ kind, id, name, people }) => ({
                  key: `${kind}${id}`,
                  name,
                  icon: KINDS[kind].icon,
                  people,
                }))}
                onRemove={remove}
              />
              {error('to')}
              <AddresseeBox
                label="Add a topic, a team or a person"
                picked={to}
                onPick={(one) =>
                  to.some((other) => isSame(one, other)) || changeComposed({ to: [...to, one] })
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
              Title <span className="muted">(optional; defaults to the topic name)</span>
              <input
                type="text"
                name="title"
                autoComplete="off"
                dir="auto"
                maxLength={100}
                value={title}
                onInput={({ currentTarget }) => changeComposed({ title: currentTarget.value })}
                {...invalid('title')}
              />
            </label>
            {error('title')}
            <FirstTopic writing={written} onChange={changeComposed} />
            {/* biome-ignore lint/a11y/noLabelWithoutControl: GrowingText is the textarea */}
            <label>
              Message
              <GrowingText
                name="message"
                rows={[4, 6]}
                maxLength={MAX_LENGTH}
                required
                value={message}
                onText={(typed) => changeComposed({ message: typed })}
                aria-invalid={at('message') ? true : undefined}
                aria-describedby={`${errorId('message')} count`}
              />
            </label>
            <p>
              <small id="count">
                {message.length.toLocaleString()} of {MAX_LENGTH.toLocaleString()} characters · lock
                screens show about 110
              </small>
            </p>
            {error('message')}
            <LinkField
              value={link}
              onChange={(text) => changeComposed({ link: text })}
              invalid={invalid('link')}
            />
            {error('link')}
            <fieldset>
              <Choice
                legend="Priority"
                name="priority"
                options={PRIORITIES}
                value={priority}
                onChoose={(chosen) => changeComposed({ priority: chosen })}
              />
              <small>{EFFECTS[priority]}</small>
            </fieldset>
            {error('priority')}
            <AnswerFields
              answers={answers}
              onChange={(changed) => changeComposed({ answers: changed })}
              invalid={invalid('answers')}
            />
            {error('answers')}
            <WhenFields writing={written} onChange={changeComposed} invalid={invalid} />
            {error('sendAt')}
            {error('expiresAt')}
            {error('policyId')}
          </div>
          <aside aria-label="Preview and recipients">
            <Preview writing={written} />
            {shown && shown.muted + shown.unreachable > 0 && (
              <NotNotified to={to} audience={shown} />
            )}
          </aside>
        </div>
        <SendBar
          error={FIELDS.includes(fault?.about ?? '') ? undefined : fault?.sentence}
          audience={to.length ? counted : undefined}
          nobody={nobody}
          later={later}
          busy={busy}
          isWritten={!!message.trim()}
          isReady={!nobody && !unready && !!(counted || reach.failure)}
          onSendToMe={sendToOneself}
        />
      </form>
      {reviewing && (
        <ReviewDialog
          reviewed={{
            ...written,
            to: to.map(({ name }) => name),
            title: composedTitle(written) || 'Fieldbell',
            topic: topic && { id: topic.id, title: topic.name },
            when: later ? timeText(Date.parse(sendAt)) : '',
          }}
          audience={counted}
          onSend={() => send(!later)}
          onClose={() => setReviewing(false)}
        />
      )}
    </>
  );
}
