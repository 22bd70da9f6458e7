import { useState } from 'react';
import type { SentMessage } from '../../../shared/contract';
import {
  countGroups,
  readNames,
  DOWNLOAD_FAILED,
  downloadRecipients,
  readRecipients,
  RECIPIENTS_FAILED,
  type Group,
} from '../../../state/sending/sent';
import { exactText } from '../../../ui/values/Day';
import { timeText } from '../../../ui/values/When';
import { Empty } from '../../../ui/page';
import { Search } from '../../../ui/lists/Search';
import { LIST_RULES, oneOf, useAddress, write } from '../../lists/address';
import { CopyNames } from '../../lists/CopyNames';
import { Download } from '../../lists/Download';
import { Listing } from '../../lists/Listing';
import { usePages } from '../../lists/pages';
import { isComplete } from './ends';
import type { Live } from './live';
import { PeopleTable } from './PeopleTable';
import { Tally } from './Tally';
import { asksForAnswer, people } from '../words';

/** Who needs attention comes first. */
const ORDER: readonly Group[] = ['missed', 'shown', 'read', 'confirmed'];
const RULES = { ...LIST_RULES, show: oneOf(...ORDER) };

interface Props {
  live: Live & { look: () => void };
  message: SentMessage;
}

/** For whom a message is, and how far it got with each of them. */
export function People({ live, message }: Props) {
  const { total } = message.people;
  return (
    <section aria-labelledby="people">
      <div className="bar">
        <h2 id="people">
          {message.state === 'scheduled' ? `About ${people(total)}` : people(total)}
        </h2>
        <Freshness live={live} message={message} />
      </div>
      {message.state === 'scheduled' ? (
        <Empty>The people are found when it leaves.</Empty>
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
          All confirmed
        </span>
      )}
      {/* The seconds are not read out: it would never end. */}
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
  const counts = countGroups(message);
  const address = useAddress(RULES);
  // What is shown at first stays shown, though its numbers change.
  const [first] = useState(() => ORDER.find((one) => counts[one] > 0) ?? 'missed');
  const group = (address.parts.show || first) as Group; // the rules let nothing else through
  const list = usePages(
    address,
    (wanted) => readRecipients(message.id, group, wanted),
    RECIPIENTS_FAILED,
    [group, message],
  );
  const addressOf = (show: Group) =>
    location.pathname + write(RULES, { ...address.parts, show, page: '' });
  return (
    <>
      <Tally message={message} shown={group} addressOf={addressOf} />
      <search className="bar">
        <Search label="Search Users" value={list.query} onSearch={list.search} />
        <Download
          name={`recipients-${message.id}.csv`}
          failed={DOWNLOAD_FAILED}
          read={() => downloadRecipients(message.id)}
        >
          Download all as CSV
        </Download>
        {group !== 'confirmed' && (
          <CopyNames
            list={list}
            nameOf={({ user }) => user?.username ?? ''}
            read={() => readNames(message.id, group, list.query)}
            failed={RECIPIENTS_FAILED}
          />
        )}
      </search>
      <Listing list={list} noun="person" empty="There is nobody here." live>
        {(rows) => <PeopleTable message={message} rows={rows} onDone={live.look} />}
      </Listing>
    </>
  );
}
