import { useLayoutEffect, useRef, useState, type FormEvent } from 'react';
import { Link, useLocation } from 'wouter';
import { isConnected } from '../../platform/connection';
import { needsReview, UNDO_SECONDS } from '../../state/messages/needs-review';
import {
  changeComposed,
  leaveComposed,
  restoreComposed,
  isFilledIn,
  sendToMe,
  sendComposed,
  composedTitle,
  composedMessage,
  EMPTY_MESSAGE,
  type ComposedMessage,
} from '../../state/messages/composing';
import { hasOwnDevice } from '../../state/messages/audience';
import { Icon } from '../../ui/Icon';
import { lazy } from '../../ui/lazy';
import { notify } from '../../ui/notices';
import { Failure, Heading } from '../../ui/page';
import { timeText } from '../../ui/values/When';
import { AddresseeBox, isSameAddressee, ADDRESSEE_KINDS } from './audience/AddresseeBox';
import { announceOutcome, useAttempt } from './attempt';
import { AnswerFields } from './options/AnswerFields';
import { PolicyField } from '../setup/PolicyField';
import { useAudience } from './audience/use-audience';
import { LinkField } from './options/LinkField';
import { PriorityField } from './options/PriorityField';
import { MessageField, TitleField } from './options/TextFields';
import { TranslationsField } from './options/TranslationsField';
import { PickedItems } from './PickedItems';
import { Preview } from './Preview';
import { ReachLine } from './audience/ReachLine';
import { SendBar } from './SendBar';

/** These load on demand: not all messages need them. */
const WhenFields = lazy(() => import('./options/WhenFields').then((module) => module.WhenFields));
const FirstTopic = lazy(() => import('./options/FirstTopic').then((module) => module.FirstTopic));
const Templates = lazy(
  () => import('./Templates').then((module) => module.Templates),
  <div className="templates full">
    <label>
      Template
      <select disabled />
    </label>
  </div>,
);
const NotNotified = lazy(() =>
  import('./audience/NotNotified').then((module) => module.NotNotified),
);
const RestoredDraft = lazy(
  () => import('./RestoredDraft').then((module) => module.RestoredDraft),
  <p className="restored" />,
);
const loadReview = () => import('./review/review');
const ReviewDialog = lazy(() => loadReview().then((module) => module.PolicyReviewDialog));

export function Compose() {
  const [isRestored] = useState(restoreComposed);
  useLayoutEffect(() => leaveComposed, []);
  const draft = composedMessage.value;
  const { to, message, link, priority, later, sendAt, policyId } = draft;
  const form = useRef<HTMLFormElement>(null);
  const { busy, fault, attempt, isMounted, invalid, error } = useAttempt(form);
  const [reviewing, setReviewing] = useState(false);
  const [, navigate] = useLocation();

  const { countedAudience, shownAudience, failure, reload } = useAudience(draft);

  const fieldProps = { draft, onChange: changeComposed, invalid, error };

  const hasNoRecipients = !to.length || (countedAudience?.people === 0 && !later);
  const unready = !isFilledIn(draft) || !isConnected.value;

  const options = useRef<HTMLDetailsElement>(null);
  const hasOptions =
    hasRareOptions(draft) || ['link', 'sendAt', 'expiresAt', 'policyId'].some(invalid);
  useLayoutEffect(() => {
    if (hasOptions && options.current) options.current.open = true;
  }, [hasOptions]);

  const topic = to.find(({ kind }) => kind === 'topic');
  function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (hasNoRecipients || unready) return;
    if (needsReview(countedAudience?.people, priority)) setReviewing(true);
    else send(!later && countedAudience?.canUndo === true);
  }
  function send(canUndo: boolean) {
    void attempt('all', async () => {
      const undo = canUndo ? await loadReview() : undefined;
      const isHeld = countedAudience?.canUndo === true;
      if (undo && !isHeld && !(await undo.countDown('send'))) return;
      const outcome = await sendComposed(draft, undo && isHeld ? UNDO_SECONDS : 0);
      if (undo && isHeld)
        undo.announceHeldDraft(outcome.messageId, draft, '/admin/messages/new', navigate);
      else announceOutcome(outcome, later);
      if (isMounted.current) navigate(`/admin/messages/${outcome.messageId}`);
    });
  }
  const sendToOneself = () =>
    void attempt('me', async () => {
      if (await hasOwnDevice(priority)) {
        const { sentence, tone } = await sendToMe(draft);
        notify(sentence, tone);
      } else
        notify(
          <>
            Nothing sent. You have no device with notifications.{' '}
            <Link href="/subscriptions">Enable Notifications</Link>
          </>,
          'warn',
        );
    });
  function removeAddressee(index: number) {
    changeComposed({ to: to.filter((_, at) => at !== index) });
    (form.current?.elements.namedItem('to') as HTMLElement | null)?.focus();
  }

  return (
    <>
      <Link className="back" href="/admin/messages">
        <Icon name="chevron" />
        Messages
      </Link>
      <div className="bar">
        <Heading>New message</Heading>
        <Templates draft={draft} onChange={changeComposed} />
      </div>
      {isRestored && <RestoredDraft />}
      <form ref={form} onSubmit={onSubmit}>
        <div className="twin">
          <div className="panel pad">
            <fieldset>
              <legend>To</legend>
              <PickedItems
                names={to.map(({ kind, id, name, people }) => ({
                  key: `${kind}${id}`,
                  name,
                  icon: ADDRESSEE_KINDS[kind].icon,
                  people,
                }))}
                onRemove={removeAddressee}
              />
              {error('to')}
              <AddresseeBox
                label="Add a topic, a team or a person"
                pickedAddressees={to}
                onPick={(addressee) =>
                  to.some((picked) => isSameAddressee(addressee, picked)) ||
                  changeComposed({ to: [...to, addressee] })
                }
                invalid={invalid('to')}
              />
              {failure && to.length > 0 && <Failure retry={reload}>{failure}</Failure>}
            </fieldset>
            <TitleField {...fieldProps} />
            {draft.to.filter(({ kind }) => kind === 'topic').length > 1 && (
              <FirstTopic draft={draft} onChange={changeComposed} />
            )}
            <MessageField {...fieldProps} />
            <AnswerFields {...fieldProps} />
            <PriorityField
              value={priority}
              onChoose={(chosen) => changeComposed({ priority: chosen })}
            />
            {error('priority')}
            <details ref={options}>
              <summary>
                More options <small>Translations, link, time, escalation</small>
              </summary>
              <TranslationsField draft={draft} onChange={changeComposed} />
              <LinkField
                value={link}
                onChange={(text) => changeComposed({ link: text })}
                invalid={invalid('link')}
              />
              {error('link')}
              <WhenFields draft={draft} onChange={changeComposed} invalid={invalid}>
                <PolicyField
                  topicIds={to.flatMap(({ kind, id }) => (kind === 'topic' ? [id] : []))}
                  value={policyId}
                  onChoose={(chosen) => changeComposed({ policyId: chosen })}
                  invalid={invalid('policyId')}
                />
              </WhenFields>
              {error('sendAt')}
              {error('expiresAt')}
              {error('policyId')}
            </details>
          </div>
          <aside aria-label="Preview and recipients">
            <div className="panel pad" hidden={!shownAudience}>
              <div role="status">{shownAudience && <ReachLine {...shownAudience} />}</div>
            </div>
            <Preview draft={draft} />
            {shownAudience && shownAudience.muted + shownAudience.unreachable > 0 && (
              <NotNotified to={to} audienceKey={shownAudience} />
            )}
            <SendBar
              error={fault}
              audience={to.length ? countedAudience : undefined}
              hasNoRecipients={hasNoRecipients}
              later={later}
              isUrgent={priority === 'urgent'}
              busy={busy}
              isWritten={!!message.trim()}
              isReady={!hasNoRecipients && !unready && !!(countedAudience || failure)}
              onSendToMe={sendToOneself}
            />
          </aside>
        </div>
      </form>
      {reviewing && (
        <ReviewDialog
          reviewedMessage={{
            ...draft,
            audienceNames: to.map(({ name }) => name),
            title: composedTitle(draft),
            topic: topic && { id: topic.id, title: topic.name },
            sendTimeText: later ? timeText(Date.parse(sendAt)) : '',
          }}
          audience={countedAudience}
          onSend={() => send(!later)}
          onClose={() => setReviewing(false)}
        />
      )}
    </>
  );
}

/** What most messages do not need is folded until it is set. */
const hasRareOptions = ({ translations, link, later, ends, policyId }: ComposedMessage): boolean =>
  !!translations || link !== '' || later || ends !== EMPTY_MESSAGE.ends || policyId !== undefined;
