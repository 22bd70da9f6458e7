import { useRef } from 'react';
import type { SentMessage } from '../../../shared/contract';
import {
  ledgerStates,
  NOT_ANSWERED_FILTER,
  type ShownState,
} from '../../../shared/recipient-states';
import {
  readRecipientNames,
  RECIPIENTS_DOWNLOAD_FAILED,
  downloadRecipients,
  readRecipients,
  RECIPIENTS_FAILED,
  type Group,
} from '../../../state/sending/sent';
import { areaOf } from '../../../state/sending/area';
import { exactText } from '../../../ui/values/Day';
import { timeText } from '../../../ui/values/When';
import { Empty } from '../../../ui/page';
import { Search } from '../../../ui/lists/Search';
import { LIST_RULES, oneOf, useAddress, writeAddress } from '../../lists/address';
import { CopyNames } from '../../lists/CopyNames';
import { Download } from '../../lists/Download';
import { Listing } from '../../lists/Listing';
import { usePages } from '../../lists/pages';
import { canNotifyAgain, hasEnded, isComplete, mayChangeMessage } from './ends';
import type { Live } from './live';
import { PeopleTable } from './PeopleTable';
import { NotifyAgain } from './NotifyAgain';
import { Tally } from './Tally';
import { statesOf } from '../states';
import { asksForAnswer, peopleCount, wasNeverSent } from '../words';

/** States that need attention come first. */
const ORDER = [
  'failed',
  'not_reachable',
  'on_its_way',
  'accepted',
  'displayed',
  'read',
  'answered',
] as const;
const RULES = { ...LIST_RULES, show: oneOf(...ORDER, NOT_ANSWERED_FILTER) };

interface Props {
  live: Live & { refresh: () => void };
  message: SentMessage;
}

export function MessagePeople({ live, message }: Props) {
  const { total } = message.people;
  return (
    <section aria-labelledby="people">
      <div className="bar">
        <h2 id="people">
          {message.state === 'scheduled' ? `About ${peopleCount(total)}` : peopleCount(total)}
        </h2>
        <Freshness live={live} message={message} />
      </div>
      {message.state === 'scheduled' ? (
        <Empty>Recipients are determined when it’s sent.</Empty>
      ) : wasNeverSent(message) ? (
        <Empty>Stopped before it was sent to anyone.</Empty>
      ) : (
        <Recipients message={message} live={live} />
      )}
    </section>
  );
}

function Freshness({ live: { updated, failure }, message }: { live: Live; message: SentMessage }) {
  return (
    <>
      {isComplete(message) && asksForAnswer(message) && (
        <span className="chip" data-tone="ok">
          Everyone answered
        </span>
      )}
      {/* Screen readers do not announce each second. */}
      <small role="status">
        {failure ? (
          <span className="chip" data-tone="warn">
            Not updated since {timeText(updated)}. Retrying.
          </span>
        ) : (
          <>
            Live<span aria-hidden="true"> · updated {exactText(new Date(updated))}</span>
          </>
        )}
      </small>
    </>
  );
}

function Recipients({ message, live }: Props) {
  const counts = statesOf(message);
  const area = areaOf(message);
  const address = useAddress(RULES);
  // The first group shown stays while it has people.
  const first = useRef<ShownState>(undefined);
  if (!first.current || !counts[first.current])
    first.current = ORDER.find((one) => counts[one] > 0) ?? first.current;
  const group = (address.parts.show || first.current || 'on_its_way') as Group; // the rules let nothing else through
  const state =
    group === NOT_ANSWERED_FILTER ? group : ledgerStates(group, hasEnded(message)).join();
  const list = usePages(
    address,
    (wanted) => readRecipients(area, message.id, state, wanted),
    RECIPIENTS_FAILED,
    [state, message],
  );
  const addressOf = (show: Group) =>
    location.pathname + writeAddress(RULES, { ...address.parts, show, page: '' });
  const file = `recipients-${message.id}`;
  return (
    <>
      <Tally message={message} shown={group} addressOf={addressOf} />
      <search className="bar">
        <Search label="Search Users" value={list.query} onSearch={list.search} />
        <Download
          name={`${file}.csv`}
          failed={RECIPIENTS_DOWNLOAD_FAILED}
          read={() => downloadRecipients(area, message.id, '')}
        >
          Download all as CSV
        </Download>
        {group === NOT_ANSWERED_FILTER && (
          <>
            <Download
              name={`${file}-not-answered.csv`}
              failed={RECIPIENTS_DOWNLOAD_FAILED}
              read={() => downloadRecipients(area, message.id, state)}
            >
              Download these as CSV
            </Download>
            {canNotifyAgain(message) && mayChangeMessage(message) && list.shown?.total ? (
              <NotifyAgain
                message={message}
                // A search filters the list, not whom this notifies.
                {...(!list.query && { count: list.shown.total })}
                state={state}
                onDone={live.refresh}
              >
                Notify everyone who hasn’t answered
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
        {(rows) => <PeopleTable message={message} rows={rows} onDone={live.refresh} />}
      </Listing>
    </>
  );
}
