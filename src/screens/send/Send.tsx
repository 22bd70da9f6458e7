import { useEffect, useLayoutEffect, useRef, useState, type FormEvent } from 'react';
import { Link, useLocation } from 'wouter';
import { isConnected } from '../../platform/connection';
import type { Audience } from '../../shared/contract';
import { needsReview, UNDO_SECONDS } from '../../state/messages/needs-review';
import {
  changeComposed,
  composedMessage,
  composedTitle,
  isFilledIn,
  leaveComposed,
  restoreComposed,
  sendComposed,
} from '../../state/messages/composing';
import {
  isForbidden,
  readSendingTopics,
  SENDING_TOPICS_FAILED,
} from '../../state/messages/sending-topics';
import { FormError } from '../../ui/forms/form';
import { Icon } from '../../ui/Icon';
import { lazy } from '../../ui/lazy';
import { countedNoun } from '../../ui/lists/Pager';
import { Failure, Heading } from '../../ui/page';
import { timeText } from '../../ui/values/When';
import { announceOutcome, useAttempt } from '../compose/attempt';
import { useAudience } from '../compose/audience/use-audience';
import { OfflineDraft } from '../compose/OfflineDraft';
import { PriorityField } from '../compose/options/PriorityField';
import { MessageField } from '../compose/options/TextFields';
import { sendText } from '../compose/SendBar';
import { useLoad } from '../lists/use-load';
import { reachedText, TopicChoice } from './TopicChoice';

const ReviewDialog = lazy(() =>
  import('../compose/review/MessageReview').then((module) => module.ReviewDialog),
);

/** Loaded on demand, because few forms begin with a draft. */
const RestoredDraft = lazy(
  () => import('../compose/RestoredDraft').then((module) => module.RestoredDraft),
  <p className="restored" />,
);

/** The options load when they are opened. */
const SendOptions = lazy(() => import('./SendOptions').then((module) => module.SendOptions));

/** A message to topics that the person may send to. */
export function Send() {
  const [isRestored] = useState(restoreComposed);
  useLayoutEffect(() => leaveComposed, []);
  const draft = composedMessage.value;
  const { to, priority, later, sendAt } = draft;
  const form = useRef<HTMLFormElement>(null);
  const { busy, fault, attempt, isMounted, invalid, error } = useAttempt(form);
  const [reviewing, setReviewing] = useState(false);
  const [showsOptions, setOptional] = useState(false);
  const [, navigate] = useLocation();
  const topics = useLoad('', readSendingTopics, SENDING_TOPICS_FAILED);
  const { countedAudience, shownAudience, failure, reload } = useAudience(draft);

  useEffect(() => {
    const [onlyTopic, ...otherTopics] = topics.value ?? [];
    if (onlyTopic && otherTopics.length === 0 && to.length === 0)
      changeComposed({ to: [{ kind: 'topic', id: onlyTopic.id, name: onlyTopic.title }] });
  }, [topics.value]);

  const hasNoRecipients = !to.length || (countedAudience?.people === 0 && !later);
  const isReady =
    !hasNoRecipients &&
    isFilledIn(draft) &&
    isConnected.value &&
    !!(countedAudience || failure) &&
    !busy;
  function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (!isReady) return;
    if (needsReview(countedAudience?.people, priority)) setReviewing(true);
    else send();
  }
  const canUndo = !later && countedAudience?.canUndo === true;
  const send = () =>
    void attempt('all', async () => {
      try {
        const undo = canUndo ? await import('../compose/review/undo') : undefined;
        const outcome = await sendComposed(draft, undo ? UNDO_SECONDS : 0);
        if (undo) undo.announceHeldDraft(outcome.messageId, draft, '/send', navigate);
        else announceOutcome(outcome, later);
        if (isMounted.current) navigate(`/sent/${outcome.messageId}`);
      } catch (thrown) {
        if (isForbidden(thrown)) topics.reload(); // which topics are left?
        throw thrown;
      }
    });
  const fieldProps = { draft, onChange: changeComposed, invalid, error };

  return (
    <>
      <div className="bar">
        <Heading>Send a message</Heading>
        <Link href="/sent">Sent messages</Link>
      </div>
      {isRestored && <RestoredDraft />}
      <form ref={form} onSubmit={onSubmit}>
        {topics.failure && <Failure retry={topics.retry}>{topics.failure}</Failure>}
        <TopicChoice
          topics={topics.value}
          chosen={to}
          onChoose={(chosen) => changeComposed({ to: chosen })}
        />
        {error('to')}
        <MessageField {...fieldProps} />
        <PriorityField
          value={priority}
          onChoose={(chosen) => changeComposed({ priority: chosen })}
        />
        {error('priority')}
        <details className="panel" onToggle={() => setOptional(true)}>
          <summary>
            More options <small>Title, answers, link, time</small>
          </summary>
          {showsOptions && <SendOptions {...fieldProps} />}
        </details>
        <div className="panel pad stack">
          <FormError>{fault}</FormError>
          {failure && to.length > 0 && <Failure retry={reload}>{failure}</Failure>}
          <OfflineDraft />
          <Reach audience={shownAudience} />
          <button
            type="submit"
            className={priority === 'urgent' ? 'tall solid' : 'tall'}
            aria-busy={!!busy || undefined}
            disabled={!isReady}
          >
            <Icon name="send" />
            {sendText(to.length > 0 ? countedAudience : undefined, later)}
          </button>
        </div>
      </form>
      {reviewing && (
        <ReviewDialog
          reviewedMessage={{
            ...draft,
            audienceNames: to.map(({ name }) => name),
            title: composedTitle(draft),
            sendTimeText: later ? timeText(Date.parse(sendAt)) : '',
          }}
          canUndo={canUndo}
          audience={countedAudience}
          onSend={send}
          onClose={() => setReviewing(false)}
        />
      )}
    </>
  );
}

/** @param audience undefined without a topic, or until it is counted */
const Reach = ({ audience }: { audience: Audience | undefined }) => (
  <div className="line" role="status">
    <span className="disc" data-tone={audience?.reachable ? 'ok' : undefined}>
      <Icon name="people" />
    </span>
    <span>
      <b>
        {audience
          ? `${countedNoun(audience.people, 'person')} ${audience.people === 1 ? 'gets' : 'get'} this`
          : 'Choose at least one topic.'}
      </b>
      {!!audience?.people && <small>{reachedText(audience)}</small>}
    </span>
  </div>
);
