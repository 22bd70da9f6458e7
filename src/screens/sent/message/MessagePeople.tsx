import { useRef } from 'react';
import { Link } from 'wouter';
import type { SentMessage } from '../../../shared/contract';
import {
  ALL_CLEAR_FILTER,
  countGroup,
  CORRECTION_FILTER,
  isUnseenFilter,
  ledgerStates,
  EVERYONE_FILTER,
  GROUP_FILTERS,
  NOT_ANSWERED_FILTER,
  NOT_REACHED_FILTER,
  NOT_READ_FILTER,
  SHOWN_STATES,
  type PeopleGroup,
} from '../../../shared/recipient-states';
import {
  readRecipientNames,
  EARLIER_ANSWERS_GROUP,
  RECIPIENTS_DOWNLOAD_FAILED,
  downloadRecipients,
  readRecipients,
  RECIPIENTS_FAILED,
  type RecipientGroup,
  type SeenRecipient,
} from '../../../state/messages/sent-messages';
import { answerTone, isCallForHelp } from '../../../state/inbox/answer-tone';
import { getMessageArea } from '../../../state/messages/call-area';
import { formatWithSeconds } from '../../../ui/values/Day';
import { timeText } from '../../../ui/values/When';
import { lazy } from '../../../ui/lazy';
import { Empty } from '../../../ui/page';
import { Search } from '../../../ui/lists/Search';
import {
  LIST_RULES,
  oneOf,
  useListAddress,
  formatListAddress,
  listLink,
  type ListAddress,
} from '../../lists/list-address';
import { Download } from '../../lists/Download';
import { Listing } from '../../lists/Listing';
import { usePages } from '../../lists/use-pages';
import { AnswerCounts } from './AnswerCounts';
import { canNotifyAgain, isFullyAnswered, mayChangeMessage } from './allowed-changes';
import { LazyPeopleTable, type FollowedMessage } from './follow-message';
import { LazyLanguages, Revisions } from './MessageText';
import { NotifyAgain } from './NotifyAgain';
import { GROUP_NAMES, RecipientGroups } from './RecipientGroups';
import { countRecipientStates } from '../state-texts';
import { asksForAnswer, peopleCount, wasNeverSent, hasEnded } from '../message-texts';

/** Shows nothing until the list has loaded, too. */
const CopyNames = lazy(() =>
  import('../../lists/CopyNames').then((module) => module.CopyNames<SeenRecipient>),
);

/** Loaded on demand, because few messages offer to call for help. */
const LazyHelpNotes = lazy(() => import('./HelpNotes').then((module) => module.HelpNotes));

/** The server's filters. Everyone found by them can be saved, and notified again. */
const EXTRA_FILTERS: readonly RecipientGroup[] = [
  NOT_ANSWERED_FILTER,
  CORRECTION_FILTER,
  ALL_CLEAR_FILTER,
];
const PEOPLE_ADDRESS_RULES = {
  ...LIST_RULES,
  show: oneOf(...SHOWN_STATES, ...GROUP_FILTERS, ...EXTRA_FILTERS, EARLIER_ANSWERS_GROUP),
  answer: LIST_RULES.query,
};

interface GroupProps {
  message: SentMessage;
  /** The shown people. The tiles and the list must agree. */
  group: RecipientGroup;
}

interface Props extends GroupProps {
  live: FollowedMessage & { refresh: () => void };
}

/**
 * The group of people that the address names. At first, it is who was not reached or has not
 * answered; of an alarm, who is coming.
 */
export function useShownGroup(message: SentMessage | undefined): RecipientGroup {
  const { parts } = useListAddress(PEOPLE_ADDRESS_RULES);
  // The first shown group stays while the group has people.
  const initialGroup = useRef<PeopleGroup>(undefined);
  // Before it is sent, a message has reached no one.
  if (!message || message.state === 'scheduled') initialGroup.current = undefined;
  else {
    const counts = countRecipientStates(message);
    const isEmpty = (candidate: PeopleGroup) => countGroup(counts, candidate) === 0;
    if (!initialGroup.current || isEmpty(initialGroup.current)) {
      // Before notifications have left, few are known to have failed.
      const isUnderWay = counts.on_its_way > message.people.held;
      const [coming, done]: [PeopleGroup, PeopleGroup] =
        message.checkIn || asksForAnswer(message)
          ? [NOT_ANSWERED_FILTER, 'answered']
          : [NOT_READ_FILTER, 'read'];
      const groups: readonly PeopleGroup[] = message.checkIn
        ? [done, coming, NOT_REACHED_FILTER]
        : isUnderWay
          ? [coming, NOT_REACHED_FILTER, done]
          : [NOT_REACHED_FILTER, coming, done];
      initialGroup.current =
        groups.find((candidate) => !isEmpty(candidate)) ?? initialGroup.current;
    }
  }
  // The rules let nothing else through.
  return (parts.show || initialGroup.current || EVERYONE_FILTER) as RecipientGroup;
}

/** How many people are in each state. */
export function ProgressSummary({ message, group }: GroupProps) {
  const { parts } = useListAddress(PEOPLE_ADDRESS_RULES);
  if (message.state === 'scheduled' || wasNeverSent(message)) return null;
  const getGroupAddress = (show: RecipientGroup) => addressOf({ ...parts, show, answer: '' });
  return <RecipientGroups message={message} shown={group} addressOf={getGroupAddress} />;
}

/** The answer whose people are listed, and the addresses of these lists. */
function useAnswerAddress() {
  const { parts } = useListAddress(PEOPLE_ADDRESS_RULES);
  return {
    shown: parts.answer,
    addressOf: (answer: string) => addressOf({ ...parts, show: 'answered', answer }),
  };
}

/** Who called for help. `onOpen` runs when someone opens their list. */
export function HelpSummary(props: {
  message: SentMessage;
  onOpen?: () => void;
  onAllClear?: () => void;
}) {
  const { addressOf: addressOfAnswer } = useAnswerAddress();
  return props.message.answers.some((answer) => isCallForHelp(answer, props.message)) ? (
    <LazyHelpNotes {...props} addressOf={addressOfAnswer} />
  ) : null;
}

/** How many people gave each answer. */
export function AnswerSummary({ message }: { message: SentMessage }) {
  const address = useAnswerAddress();
  if (!asksForAnswer(message) || message.people.total === 0) return null;
  return <AnswerCounts message={message} {...address} />;
}

const addressOf = (parts: ListAddress<keyof typeof PEOPLE_ADDRESS_RULES>['parts']): string =>
  location.pathname + formatListAddress(PEOPLE_ADDRESS_RULES, { ...parts, page: '' });

export function MessagePeople(props: Props) {
  const { message } = props;
  const { total } = message.people;
  return (
    <section aria-labelledby="people">
      {message.state === 'scheduled' ? (
        <>
          <h2 id="people">{total > 0 ? `About ${peopleCount(total)}` : 'Recipients'}</h2>
          <Empty>Recipients are determined when the message is sent.</Empty>
        </>
      ) : wasNeverSent(message) ? (
        <>
          <h2 id="people">Recipients</h2>
          <Empty>The message was canceled before sending.</Empty>
        </>
      ) : (
        <Recipients {...props} />
      )}
    </section>
  );
}

export function LastUpdate({
  live: { updated, failure },
  message,
}: {
  live: FollowedMessage;
  message: SentMessage;
}) {
  return (
    <>
      {isFullyAnswered(message) &&
        asksForAnswer(message) &&
        (message.people.answeredEarlierText ? (
          <Revisions message={message} part="everyone" />
        ) : (
          <span
            className="chip"
            data-tone={
              message.answers.some((answer) => message.tally[answer] && answerTone(answer, message))
                ? undefined
                : 'ok'
            }
          >
            Everyone answered
          </span>
        ))}
      {/* Screen readers do not announce each second. */}
      <small role="status">
        {failure ? (
          <span className="chip" data-tone="warn">
            Not updated since {timeText(updated)}. Retrying.
          </span>
        ) : (
          !hasEnded(message) && (
            <span className="chip">
              Live<span aria-hidden="true"> · updated {formatWithSeconds(new Date(updated))}</span>
            </span>
          )
        )}
      </small>
    </>
  );
}

function Recipients({ message, live, group }: Props) {
  const area = getMessageArea(message);
  const address = useListAddress(PEOPLE_ADDRESS_RULES);
  const state =
    group === EARLIER_ANSWERS_GROUP ||
    isUnseenFilter(group) ||
    (group === NOT_ANSWERED_FILTER && !hasEnded(message))
      ? group
      : group === EVERYONE_FILTER
        ? ''
        : ledgerStates(group, hasEnded(message)).join();
  const { answer } = address.parts;
  const list = usePages(
    address,
    (pageRequest) =>
      readRecipients(area, message.id, state, { ...pageRequest, ...(answer && { answer }) }),
    RECIPIENTS_FAILED,
    [state, answer, message],
  );
  const file = `recipients-${message.id}`;
  const { total } = message.people;
  const name = answer || GROUP_NAMES[group];
  // This number counts the listed people, not all recipients.
  return (
    <>
      <div className="bar">
        <h2 id="people">
          {name && (
            <>
              <bdi>{name}</bdi>{' '}
            </>
          )}
          <small>
            {list.shown && list.shown.total !== total
              ? `${list.shown.total.toLocaleString()} of ${peopleCount(total)}`
              : peopleCount(total)}
          </small>
        </h2>
        {group !== EVERYONE_FILTER && (
          <Link
            className="alone"
            {...listLink(addressOf({ ...address.parts, show: EVERYONE_FILTER, answer: '' }))}
          >
            Show everyone
          </Link>
        )}
      </div>
      {message.isTranslated && <LazyLanguages message={message} />}
      <search className="bar">
        <Search label="Search Users" value={list.query} onSearch={list.search} />
        <Download
          name={`${file}.csv`}
          failed={RECIPIENTS_DOWNLOAD_FAILED}
          read={() => downloadRecipients(area, message.id, '')}
        >
          Download all as CSV
        </Download>
        {EXTRA_FILTERS.includes(group) && (
          <>
            <Download
              name={`${file}-${group}.csv`}
              failed={RECIPIENTS_DOWNLOAD_FAILED}
              read={() => downloadRecipients(area, message.id, state)}
            >
              Download results as CSV
            </Download>
            {canNotifyAgain(message, group) && mayChangeMessage(message) && list.shown?.total ? (
              <NotifyAgain
                message={message}
                // A search filters the list, not whom this notifies.
                {...(!list.query && { count: list.shown.total })}
                state={state}
                onDone={live.refresh}
              >
                {isUnseenFilter(group)
                  ? 'Notify everyone who wasn’t shown it'
                  : 'Notify everyone who hasn’t answered'}
              </NotifyAgain>
            ) : null}
          </>
        )}
        {group !== 'answered' && (
          <CopyNames
            list={list}
            nameOf={({ user }) => user?.username ?? ''}
            read={() => readRecipientNames(area, message.id, state, list.query)}
            failed={RECIPIENTS_FAILED}
          />
        )}
      </search>
      <Listing list={list} noun="person" empty="No people in this state." live>
        {(rows) => (
          <LazyPeopleTable message={message} group={group} rows={rows} onDone={live.refresh} />
        )}
      </Listing>
    </>
  );
}
