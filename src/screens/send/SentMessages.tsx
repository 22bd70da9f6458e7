import { Link } from 'wouter';
import { ownRights } from '../../state/rights';
import { readOwnSent, SENT_FAILED, type SeenByOwner } from '../../state/messages/sent-messages';
import { sessionClaims } from '../../state/session';
import { EmptyList } from '../../ui/EmptyList';
import { Icon } from '../../ui/Icon';
import { countText } from '../../ui/lists/Pager';
import { Search } from '../../ui/lists/Search';
import { Heading } from '../../ui/page';
import { parseTime } from '../../ui/values/Day';
import { Moment } from '../../ui/values/When';
import { LIST_RULES, createHistoryEntry, useListAddress } from '../lists/list-address';
import { Listing } from '../lists/Listing';
import { usePages } from '../lists/use-pages';
import { HelpChip } from '../sent/HelpChip';
import { Meter } from '../sent/Meter';
import { PriorityChip } from '../sent/PriorityChip';
import { SentRevision } from '../sent/SentRevision';
import { describeMessageState, countRecipientStates } from '../sent/state-texts';
import {
  answeredText,
  asksForAnswer,
  audienceText,
  hasMeter,
  senderText,
  sentTitle,
} from '../sent/message-texts';

/** What a sender sent, and what others sent to their topics. */
export function SentMessages() {
  const list = usePages(useListAddress(LIST_RULES), readOwnSent, SENT_FAILED);
  const sendLink = ownRights.value.includes('send') && (
    <Link className="press" href="/send">
      <Icon name="send" />
      Send a message
    </Link>
  );
  // The empty list offers the link itself.
  const isEmpty = list.shown?.rows.length === 0 && !list.query;
  return (
    <>
      <div className="bar">
        <Heading>Sent messages</Heading>
        {!isEmpty && sendLink}
      </div>
      <search className="bar">
        <Search label="Search Messages" value={list.query} onSearch={list.search} />
      </search>
      <Listing
        list={list}
        noun="message"
        empty={
          <EmptyList
            icon="send"
            title="No messages yet"
            hint="After you send a message, you’ll see who received it and who answered."
          >
            {sendLink}
          </EmptyList>
        }
      >
        {(rows) => (
          <ul className="panel rows inbox">
            {rows.map((message) => (
              <SentMessageRow key={message.id} message={message} />
            ))}
          </ul>
        )}
      </Listing>
      <small>You see all messages to your topics, including those from other senders.</small>
    </>
  );
}

function SentMessageRow({ message }: { message: SeenByOwner }) {
  const { state, priority } = message;
  const sender = senderText(message);
  const { name, tone } = describeMessageState(message);
  const title = sentTitle(message);
  const audience = audienceText(message);
  return (
    <li>
      <Link href={`/sent/${message.id}`} state={createHistoryEntry(location.search)}>
        <span className="headline">
          <b>
            <bdi>{title}</bdi>
          </b>
          <small>
            <Moment time={parseTime(message.sendAt)} />
          </small>
        </span>
        {audience !== title && (
          <small>
            To <bdi>{audience}</bdi>
          </small>
        )}
        <p>
          <bdi className="clamp">{message.message}</bdi>
        </p>
        <Meter message={message} />
        <small>{progressText(message)}</small>
        <span className="tags">
          <HelpChip message={message} />
          {priority === 'urgent' && <PriorityChip priority={priority} />}
          {state !== 'sent' && (
            <span className="chip" data-tone={tone}>
              {name}
            </span>
          )}
          <SentRevision row={message} part="marks" neutral />
          {sender && (
            <span className="chip">
              {sender === sessionClaims.value?.username ? (
                <>
                  <Icon name="user" />
                  You sent this
                </>
              ) : (
                <>
                  Sent by <bdi>{sender}</bdi>
                </>
              )}
            </span>
          )}
        </span>
      </Link>
    </li>
  );
}

/** Administrators read the same line: `18 of 31 answered · 6 haven’t yet · 6 not reachable`. */
function progressText(message: SeenByOwner): string {
  if (!hasMeter(message)) return answeredText(message);
  const { total, read, acknowledged } = message.people;
  const { failed, not_reachable, muted } = countRecipientStates(message);
  const asks = asksForAnswer(message);
  const doneCount = asks ? acknowledged : read;
  const waitingCount = total - doneCount - failed - not_reachable - muted;
  return [
    asks
      ? `${doneCount.toLocaleString()} of ${total.toLocaleString()} answered`
      : `${doneCount.toLocaleString()} of ${total.toLocaleString()} read the message`,
    waitingCount > 0 &&
      `${waitingCount.toLocaleString()} ${waitingCount === 1 ? 'hasn’t' : 'haven’t'} yet`,
    failed > 0 && `${failed.toLocaleString()} failed`,
    not_reachable > 0 && `${not_reachable.toLocaleString()} not reachable`,
    muted > 0 && countText(muted, 'muted'),
  ]
    .filter(Boolean)
    .join(' · ');
}
