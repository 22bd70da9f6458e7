import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import type { Escalation, SentMessage } from '../../../shared/contract';
import { countUnwritten } from '../../../shared/recipient-states';
import { mayChange } from '../../../state/rights';
import { areaOf } from '../../../state/sending/area';
import { lazy } from '../../../ui/lazy';
import { Failure, Heading, Skeleton, useFocusKept } from '../../../ui/page';
import { cameFrom } from '../../lists/address';
import { canNotifyAgain, canStop, mayChangeMessage } from './ends';
import { LazyEscalationTimeline, isEscalationShown, useLive } from './live';
import { MessagePeople } from './MessagePeople';
import { NotifyAgain } from './NotifyAgain';
import { Text } from './Text';
import { asksForAnswer, peopleCount, sentTitle } from '../words';

/** Rare. */
const LazyWithheld = lazy(() => import('./Withheld').then((module) => module.Withheld));
const StopDialog = lazy(() => import('./StopDialog').then((module) => module.StopDialog));

/** Below /admin for administrators and auditors, otherwise for senders. */
export function SentMessageScreen() {
  const { messageId = '' } = useParams<{ messageId: string }>();
  const isAdmins = useLocation()[0].startsWith('/admin');
  const live = useLive(isAdmins ? 'admin' : 'sending', messageId);
  const { message, escalation, failure, missing, refresh } = live;
  const shownEscalation =
    message && escalation && isEscalationShown(escalation, message) ? escalation : undefined;
  const [stopping, setStopping] = useState(false);
  useFocusKept(message === undefined);
  return (
    <>
      <Link className="back alone" href={`${isAdmins ? '/admin/messages' : '/sent'}${cameFrom()}`}>
        ← {isAdmins ? 'Messages' : 'Sent messages'}
      </Link>
      <div className="bar">
        <Heading>{message ? sentTitle(message) : 'Message'}</Heading>
        {message && mayChangeMessage(message) && (
          <Actions
            message={message}
            escalation={escalation}
            onStop={() => setStopping(true)}
            onDone={refresh}
          />
        )}
      </div>
      {!message &&
        (failure ? (
          <Failure retry={missing ? undefined : refresh}>{failure}</Failure>
        ) : (
          <Skeleton />
        ))}
      {message && (
        <>
          {message.withheld && mayChange.value && (
            <LazyWithheld message={message} onCancel={() => setStopping(true)} onDone={refresh} />
          )}
          <div className={shownEscalation && 'twin'}>
            <Text message={message} />
            {shownEscalation && (
              <LazyEscalationTimeline message={message} escalation={shownEscalation} />
            )}
          </div>
          <MessagePeople live={live} message={message} />
        </>
      )}
      {message && stopping && (
        <StopDialog message={message} onClose={() => setStopping(false)} onDone={refresh} />
      )}
    </>
  );
}

/** Not those who are unreachable, held or have a pending push. An older server counts devices. */
function countSilent(message: SentMessage): number {
  const { people: all, pending: devices } = message;
  const { total, unreachable, muted, held, read, acknowledged, pending = devices } = all;
  const done = asksForAnswer(message) ? acknowledged : read;
  return total - unreachable - muted - held - pending - countUnwritten(all) - done;
}

function Actions({
  message,
  escalation,
  onStop,
  onDone,
}: {
  message: SentMessage;
  escalation: Escalation | null | undefined;
  onStop: () => void;
  onDone: () => void;
}) {
  const silent = canNotifyAgain(message) ? countSilent(message) : 0;
  return (
    <>
      {canStop(message, escalation) && !message.withheld && (
        <button
          type="button"
          className="plain"
          onPointerEnter={StopDialog.preload}
          onClick={onStop}
        >
          {areaOf(message) === 'sending' ? 'Cancel' : 'Stop'}
        </button>
      )}
      {silent > 0 && (
        <NotifyAgain message={message} count={silent} onDone={onDone}>
          {`Notify ${peopleCount(silent)} again`}
        </NotifyAgain>
      )}
    </>
  );
}
