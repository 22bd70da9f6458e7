import { useState, type ReactNode } from 'react';
import { Link, Redirect, useLocation, useParams } from 'wouter';
import type { Escalation, SentMessage } from '../../../shared/contract';
import { countUnwritten } from '../../../shared/recipient-states';
import { takeAccepted, type AcceptedMessage } from '../../../state/messages/accepted-message';
import { mayChange } from '../../../state/rights';
import { Icon } from '../../../ui/Icon';
import { lazy } from '../../../ui/lazy';
import { Failure, Heading, Skeleton, useKeepFocus } from '../../../ui/page';
import { previousListQuery } from '../../lists/list-address';
import {
  canCancel,
  canCorrect,
  canGiveAllClear,
  canNotifyAgain,
  mayChangeMessage,
} from './allowed-changes';
import { LazyEscalationTimeline, isEscalationShown, useFollowedMessage } from './follow-message';
import {
  AnswerSummary,
  HelpSummary,
  LastUpdate,
  MessagePeople,
  ProgressSummary,
  useShownGroup,
} from './MessagePeople';
import { NotifyAgain } from './NotifyAgain';
import { MessageChips, MessageText, Revisions } from './MessageText';
import { countCallsForHelp } from '../calls-for-help';
import { PriorityChip } from '../PriorityChip';
import { SentRevision } from '../SentRevision';
import { asksForAnswer, peopleCount, sentTitle, hasEnded } from '../message-texts';

const MoreMenu = lazy(
  () => import('../../../ui/MoreMenu').then((module) => module.MoreMenu),
  // Keeps its place.
  <details className="more" inert>
    <summary />
  </details>,
);
const SendAgain = lazy(
  () => import('./SendAgain').then((module) => module.SendAgain),
  <button type="button" className="plain" disabled>
    <Icon name="send" />
    Send again
  </button>,
);
/** Loaded on demand, because few messages are withheld or alarms. */
const LazyWithheld = lazy(() => import('./Withheld').then((module) => module.Withheld));
const LazyCheckIn = lazy(() => import('./AlarmedCheckIn').then((module) => module.AlarmedCheckIn));
const CorrectDialog = lazy(() => import('./CorrectDialog').then((module) => module.CorrectDialog));
const AllClearDialog = lazy(() =>
  import('./AllClearDialog').then((module) => module.AllClearDialog),
);
const CancelDialog = lazy(() => import('./CancelDialog').then((module) => module.CancelDialog));

const DIALOGS = { cancel: CancelDialog, correct: CorrectDialog, clear: AllClearDialog };

interface AcceptedProps {
  /** A message whose counts are not known yet. */
  accepted: AcceptedMessage;
}

/** Below /admin for administrators and auditors, otherwise for senders. */
export function SentMessageScreen() {
  const { messageId = '' } = useParams<{ messageId: string }>();
  const isAdmins = useLocation()[0].startsWith('/admin');
  const followed = useFollowedMessage(isAdmins ? 'admin' : 'sending', messageId);
  const { message, escalation, failure, missing, refresh } = followed;
  const [accepted] = useState(() => takeAccepted(messageId));
  const shownEscalation =
    message && escalation && isEscalationShown(escalation, message) ? escalation : undefined;
  const group = useShownGroup(message);
  const [open, setOpen] = useState<keyof typeof DIALOGS>();
  const OpenDialog = open && DIALOGS[open];
  useKeepFocus(message === undefined);
  // The person may have received a message of topics that they cannot send to, such as an alarm.
  if (missing && !message && !isAdmins) return <Redirect to={`/messages/${messageId}`} replace />;
  return (
    <>
      <Link
        className="back alone"
        href={`${isAdmins ? '/admin/messages' : '/sent'}${previousListQuery()}`}
      >
        <Icon name="chevron" />
        {isAdmins ? 'Messages' : 'Sent messages'}
      </Link>
      <div className="bar">
        <div>
          <Heading>{message ? sentTitle(message) : (accepted?.title ?? 'Message')}</Heading>
          {accepted && !message && !failure && <AcceptedChips accepted={accepted} />}
          {message && (
            <p className="tags">
              <span className="tags" role="status">
                <MessageChips message={message} />
              </span>
              <LastUpdate live={followed} message={message} />
            </p>
          )}
        </div>
        {message && mayChangeMessage(message) && (
          <Actions message={message} escalation={escalation} onOpen={setOpen} onDone={refresh} />
        )}
        {message && isAdmins && hasEnded(message) && <SendAgain message={message} />}
      </div>
      {!message &&
        (failure ? (
          <Failure retry={missing ? undefined : refresh}>{failure}</Failure>
        ) : accepted ? (
          <AcceptedText accepted={accepted} />
        ) : (
          <Skeleton />
        ))}
      {message && (
        <>
          {message.withheld && mayChange.value && (
            <LazyWithheld message={message} onCancel={() => setOpen('cancel')} onDone={refresh} />
          )}
          <SentRevision row={message} part="all-clear" />
          <Revisions message={message} part="all-clear" />
          {message.checkIn && <LazyCheckIn checkIn={message.checkIn} message={message} />}
          <HelpSummary message={message} onAllClear={() => setOpen('clear')} />
          <ProgressSummary message={message} group={group} />
          <div className={shownEscalation && 'twin'}>
            <div>
              <MessageText message={message} />
              <AnswerSummary message={message} />
            </div>
            {shownEscalation && (
              <LazyEscalationTimeline message={message} escalation={shownEscalation} />
            )}
          </div>
          <MessagePeople live={followed} message={message} group={group} />
        </>
      )}
      {message && OpenDialog && (
        <OpenDialog message={message} onClose={() => setOpen(undefined)} onDone={refresh}>
          {open === 'clear' && <HelpSummary message={message} onOpen={() => setOpen(undefined)} />}
        </OpenDialog>
      )}
    </>
  );
}

const AcceptedChips = ({ accepted: { priority, later, isHeld } }: AcceptedProps) => (
  <p className="tags">
    {priority === 'urgent' && <PriorityChip priority={priority} />}
    <span className="chip">{later ? 'Scheduled' : isHeld ? 'Waiting to be sent' : 'Sending'}</span>
  </p>
);

const AcceptedText = ({ accepted: { message } }: AcceptedProps) => (
  <section className="flush" aria-labelledby="what">
    <h2 id="what">Message</h2>
    <div className="panel pad">
      <p className="letter">
        <bdi>{message}</bdi>
      </p>
    </div>
  </section>
);

/**
 * Counts people who are reachable, not held and without a pending push. An older server counts
 * devices.
 */
function countToNotifyAgain(message: SentMessage): number {
  const { people, pending: devices } = message;
  const { total, unreachable, muted, held, read, acknowledged, pending = devices } = people;
  const doneCount = asksForAnswer(message) ? acknowledged : read;
  return total - unreachable - muted - held - pending - countUnwritten(people) - doneCount;
}

function Actions({
  message,
  escalation,
  onOpen,
  onDone,
}: {
  message: SentMessage;
  escalation: Escalation | null | undefined;
  onOpen: (dialog: keyof typeof DIALOGS) => void;
  onDone: () => void;
}) {
  const unansweredCount = canNotifyAgain(message) ? countToNotifyAgain(message) : 0;
  const { failed = 0 } = message.people;
  const opener = (dialog: keyof typeof DIALOGS, label: ReactNode, look = 'plain') => (
    <button
      type="button"
      className={look}
      onPointerEnter={DIALOGS[dialog].preload}
      onClick={() => onOpen(dialog)}
    >
      {label}
    </button>
  );
  const cancelButton = (look: string) =>
    opener(
      'cancel',
      <>
        <Icon name="x" />
        Cancel message
      </>,
      look,
    );
  return (
    <>
      {unansweredCount > 0 && (
        <NotifyAgain message={message} count={unansweredCount} onDone={onDone}>
          <Icon name="bell" />
          {`Notify ${peopleCount(unansweredCount)} again`}
        </NotifyAgain>
      )}
      {unansweredCount > 0 && failed > 0 && (
        <small>{`Including ${failed.toLocaleString()} failed`}</small>
      )}
      {canCorrect(message) &&
        opener(
          'correct',
          <>
            <Icon name="edit" />
            Correct
          </>,
        )}
      {canGiveAllClear(message) &&
        message.state !== 'scheduled' &&
        // Otherwise, it is beside the people who need help.
        countCallsForHelp(message) === 0 &&
        opener(
          'clear',
          <>
            <Icon name="shield" />
            All clear
          </>,
        )}
      {canCancel(message, escalation) &&
        !message.withheld &&
        // A menu beside no other action would only hide it.
        (unansweredCount === 0 && !canGiveAllClear(message) ? (
          cancelButton('plain')
        ) : (
          <MoreMenu itemName={sentTitle(message)}>
            <li className="last">{cancelButton('quiet')}</li>
          </MoreMenu>
        ))}
    </>
  );
}
