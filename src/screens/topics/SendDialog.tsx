import { useEffect, useRef, useState, type FormEvent } from 'react';
import type { Audience, Topic } from '../../shared/contract';
import { Dialog } from '../../ui/forms/Dialog';
import { useIsMounted } from '../../ui/forms/use-is-mounted';
import { FormError } from '../../ui/forms/form';
import { GrowingText } from '../../ui/forms/GrowingText';
import { lazy } from '../../ui/lazy';
import { countedNoun, countText } from '../../ui/lists/Pager';
import { notify } from '../../ui/notices';
import { useLoad } from '../lists/use-load';
import { LazyPolicyWarning } from '../setup/PolicyField';
import { SendProgress } from './SendProgress';
import { needsReview, UNDO_SECONDS } from '../../state/messages/needs-review';
import {
  SEND_TO_TOPIC_FAILED,
  sendDraft,
  type MessageDraft,
  type SentOutcome,
} from '../../state/messages/messages';
import { explainSendFailure } from '../../state/messages/sending';
import { announceFailed, announceSent } from './sent-notice';
import { readTopicAudience, SUBSCRIBERS_FAILED } from '../../state/topics/topics';
import { Link } from 'wouter';
import { heldText } from '../../ui/lists/held-text';
import { MAX_MESSAGE_LENGTH } from '../compose/message-lengths';

/** How long the dialog stays after success (S9.7). */
const CLOSE_DELAY_MS = 1500;
/** How long to wait for the count before it is treated as unknown: the message may be urgent. */
const MAX_COUNT_WAIT_MS = 2000;
const tooLate = () =>
  new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), MAX_COUNT_WAIT_MS));

/** The options load when they are opened, because the largest screen has no room for their code. */
const MoreOptions = lazy(() =>
  import('../compose/options/MoreOptions').then((module) => module.MoreOptions),
);

const PolicyReview = lazy(() =>
  import('../compose/review/review').then((module) => module.PolicyReview),
);

type State =
  | { kind: 'writing'; error?: string }
  | { kind: 'sending' }
  | { kind: 'reviewing'; audience: Audience | undefined }
  | { kind: 'sent'; sent: SentOutcome };

export function SendDialog({
  topic,
  draft,
  onClose,
}: {
  topic: Topic;
  draft: MessageDraft;
  onClose: () => void;
}) {
  const [priority, setPriority] = useState(draft.options?.priority ?? 'normal');
  const audience = useLoad(
    priority,
    (currentPriority) => readTopicAudience(topic.id, currentPriority),
    SUBSCRIBERS_FAILED,
  );
  const [showsOptions, setOptional] = useState(false);
  const [text, setText] = useState(draft.text);
  const [state, setState] = useState<State>({ kind: 'writing' });
  const isMounted = useIsMounted();
  const form = useRef<HTMLFormElement>(null);
  const isReviewing = state.kind === 'reviewing';

  /** The review replaces the fields, which stay as they are behind it. */
  const leaveReview = () =>
    setState((now) => (now.kind === 'reviewing' ? { kind: 'writing' } : now));
  useEffect(() => {
    if (!isReviewing) return;
    const heading = form.current?.parentElement?.querySelector('h2');
    heading?.setAttribute('tabindex', '-1');
    heading?.focus();
    return () =>
      (form.current?.elements.namedItem('message') as HTMLElement | null | undefined)?.focus();
  }, [isReviewing]);

  /** The success notice stays for a while after the dialog closes. */
  function close() {
    if (state.kind === 'sent') announceSent(state.sent);
    onClose();
  }
  useEffect(() => {
    if (state.kind !== 'sent') return;
    const timer = setTimeout(close, CLOSE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [state]);

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    // A second press may come before the button is disabled.
    if (draft.sending || state.kind !== 'writing' || !text.trim()) return;
    setState({ kind: 'sending' });
    void reviewOrSend(text.trim());
  }

  /** Sends the message, after a review if it is urgent or would disturb many people. */
  async function reviewOrSend(words: string) {
    const counts = audience.loading
      ? await Promise.race([readTopicAudience(topic.id, priority), tooLate()]).catch(
          () => undefined,
        )
      : audience.failure
        ? undefined
        : audience.value;
    if (!needsReview(counts?.people, priority)) await send(words);
    else if (isMounted.current) setState({ kind: 'reviewing', audience: counts });
    else
      notify('Not sent. Open the dialog again and review the message. Your text was kept.', 'warn');
  }

  /** The server, or else this page, holds the message for some seconds, with the dialog closed. */
  async function sendReviewed(words: string, canHold: boolean) {
    const { options } = draft;
    if (canHold) return send(words, { ...options, undoSeconds: UNDO_SECONDS });
    onClose();
    const { countDown } = await import('../compose/review/review');
    if (await countDown('send')) await send(words, options);
  }

  async function announceHeldMessage(messageId: string, words: string, options = draft.options) {
    const { announceHeld, announceUndone } = await import('../compose/review/review');
    announceHeld(messageId, () => {
      if (!draft.text) Object.assign(draft, { text: words, options });
      announceUndone('/admin/topics');
    });
  }

  /** Sends, or waits for the message in flight. The last dialog reports the outcome. */
  async function send(words: string, options = draft.options) {
    if (isMounted.current) setState({ kind: 'sending' });
    const formerOptions = draft.options;
    const dialog = {};
    draft.reportingDialog = dialog;
    try {
      const outcome = await sendDraft(topic.id, draft, words, options);
      if (outcome.isHeld) {
        if (draft.reportingDialog === dialog)
          await announceHeldMessage(outcome.messageId, words, formerOptions);
        if (isMounted.current) onClose();
      } else if (isMounted.current) setState({ kind: 'sent', sent: outcome });
      else if (draft.reportingDialog === dialog) announceSent(outcome);
    } catch (thrown) {
      const error = explainSendFailure(thrown, SEND_TO_TOPIC_FAILED);
      if (isMounted.current) setState({ kind: 'writing', error });
      else if (draft.reportingDialog === dialog)
        announceFailed(error, () => void send(words, options));
    }
  }
  useEffect(() => {
    if (draft.sending) void send(draft.text);
  }, []);

  const error = state.kind === 'writing' ? state.error : undefined;
  return (
    <Dialog
      title={isReviewing ? 'Review before sending' : 'Send notification'}
      onBack={isReviewing ? leaveReview : undefined}
      onClose={close}
    >
      <form ref={form} method="dialog" hidden={isReviewing} onSubmit={onSubmit}>
        <FormError>{error}</FormError>
        <p
          className="note"
          data-tone={state.kind === 'sent' ? state.sent.tone || undefined : undefined}
          role="status"
        >
          {state.kind === 'sent' && (
            <>
              {state.sent.sentence} <SendProgress messageId={state.sent.messageId} />
            </>
          )}
        </p>
        <p className="bar">
          <b>
            <bdi>{topic.title}</bdi>
          </b>
          <small role="status">
            {audience.value ? countedNoun(audience.value.people, 'subscriber') : audience.failure}
          </small>
        </p>
        {audience.value && <AudienceCounts audience={audience.value} topic={topic.id} />}
        {topic.policyId != null && <LazyPolicyWarning policyId={topic.policyId} />}
        {/* biome-ignore lint/a11y/noLabelWithoutControl: GrowingText is the textarea */}
        <label>
          Message
          <GrowingText
            name="message"
            rows={[3, 6]}
            maxLength={MAX_MESSAGE_LENGTH}
            required
            readOnly={state.kind !== 'writing'}
            value={text}
            onText={(typed) => {
              draft.text = typed;
              setText(typed);
            }}
            aria-describedby="error count"
          />
        </label>
        <details className="panel" onToggle={() => setOptional(true)}>
          <summary>More options</summary>
          {showsOptions && <MoreOptions topic={topic} draft={draft} onPriority={setPriority} />}
        </details>
        <div className="foot bar">
          <small id="count">
            {text.length.toLocaleString()} of {MAX_MESSAGE_LENGTH.toLocaleString()} characters
          </small>
          <div>
            <button type="button" className="quiet" onClick={close}>
              {state.kind === 'sent' ? 'Close' : 'Cancel'}
            </button>
            <button
              type="submit"
              aria-busy={state.kind === 'sending' || undefined}
              disabled={state.kind !== 'writing' || !text.trim()}
            >
              {state.kind === 'sending' ? 'Sending...' : 'Send'}
            </button>
          </div>
        </div>
      </form>
      {state.kind === 'reviewing' && (
        <PolicyReview
          reviewedMessage={{
            audienceNames: [topic.title],
            title: topic.title,
            message: text.trim(),
            priority,
            answers: draft.options?.answers ?? [],
            topic,
            sendTimeText: '',
          }}
          audience={state.audience}
          onSend={() => void sendReviewed(text.trim(), state.audience?.canUndo === true)}
          onClose={leaveReview}
        />
      )}
    </Dialog>
  );
}

/** The audience before sending, with a link to names. Omits parts that are zero. */
function AudienceCounts({
  audience: { people, reachable, muted, held, heldUntil, unreachable, suspended = 0 },
  topic,
}: {
  audience: Audience;
  topic: number;
}) {
  if (!people) return null;
  const chip = (count: number, text: string, state?: string) =>
    count > 0 && (
      <span className="chip" data-state={state}>
        {text}
      </span>
    );
  return (
    <p className="reach">
      {chip(reachable, countText(reachable, 'reachable'), 'reachable')}{' '}
      {chip(held, heldText(held, heldUntil), 'on_its_way')}{' '}
      {chip(muted, countText(muted, 'muted'), 'muted')}{' '}
      {chip(unreachable, countText(unreachable, 'not reachable'), 'not_reachable')}{' '}
      {chip(suspended, countText(suspended, 'suspended'))}
      <Link className="alone" href={`/admin/reach?topic=${topic}`}>
        See who
      </Link>
    </p>
  );
}
