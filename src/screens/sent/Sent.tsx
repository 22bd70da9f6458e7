import { Link } from 'wouter';
import type { Priority } from '../../shared/contract';
import { mayChange } from '../../state/rights';
import { readSent, type SentFilter } from '../../state/messages/all-sent';
import { SENT_FAILED } from '../../state/messages/sent-messages';
import { readAllTopics, TOPICS_FAILED } from '../../state/topics/all-topics';
import { EmptyList } from '../../ui/EmptyList';
import { Select } from '../../ui/forms/Select';
import { Icon } from '../../ui/Icon';
import { Heading } from '../../ui/page';
import { Filters } from '../../ui/lists/Filters';
import { Search } from '../../ui/lists/Search';
import { IdFilter, parseIdFilter } from '../lists/IdFilter';
import { LIST_RULES, oneOf, useListAddress } from '../lists/list-address';
import { Listing } from '../lists/Listing';
import { usePages } from '../lists/use-pages';
import { PRIORITY_NAMES } from './message-texts';
import { SentTable } from './SentTable';

const PRIORITY_FILTERS = [['', 'All'], ...Object.entries(PRIORITY_NAMES)] as readonly (readonly [
  Priority | '',
  string,
])[];
const STATE_FILTERS = [
  ['', 'All'],
  ['needs_help', 'People need help'],
  ['withheld', 'Withheld'],
] as const;
const SENT_ADDRESS_RULES = {
  ...LIST_RULES,
  priority: oneOf(...PRIORITY_FILTERS.map(([priority]) => priority)),
  state: oneOf(...STATE_FILTERS.map(([state]) => state)),
  topic: parseIdFilter,
  sender: LIST_RULES.query,
};

export function Sent() {
  const address = useListAddress(SENT_ADDRESS_RULES);
  // The rules allow nothing else.
  const filter = address.parts as typeof address.parts & SentFilter;
  const { priority, state, topic, sender } = filter;
  const list = usePages(address, (pageRequest) => readSent(pageRequest, filter), SENT_FAILED, [
    priority,
    state,
    topic,
    sender,
  ]);
  return (
    <>
      <div className="bar">
        <Heading>Messages</Heading>
        {mayChange.value && <NewMessage />}
      </div>
      <search className="bar">
        <Search label="Search Messages" value={list.query} onSearch={list.search} />
        <Filters values={[sender, topic, priority, state]}>
          <Search
            label="Sender"
            value={sender}
            onSearch={(text) => address.change({ sender: text, page: '' })}
          />
          <IdFilter
            label="Topic"
            name="topic"
            all="All topics"
            read={readAllTopics}
            failed={TOPICS_FAILED}
            value={topic}
            onChoose={(chosen) => address.change({ topic: chosen, page: '' })}
          />
          <Select
            label="Priority"
            name="priority"
            options={PRIORITY_FILTERS}
            value={priority}
            onChoose={(chosen) => address.change({ priority: chosen, page: '' })}
          />
          <Select
            label="State"
            name="state"
            options={STATE_FILTERS}
            value={state}
            onChoose={(chosen) => address.change({ state: chosen, page: '' })}
          />
        </Filters>
      </search>
      <Listing
        list={list}
        noun="message"
        empty={
          topic || sender ? (
            'No messages match these filters.'
          ) : state === 'needs_help' ? (
            'No one needs help.'
          ) : state ? (
            'No messages are withheld.'
          ) : priority ? (
            'No messages with this priority.'
          ) : (
            <EmptyList
              icon="send"
              title="No messages yet"
              hint="After you send a message, you’ll see who received it and who answered."
            >
              {mayChange.value && <NewMessage />}
            </EmptyList>
          )
        }
      >
        {(rows) => <SentTable rows={rows} />}
      </Listing>
    </>
  );
}

const NewMessage = () => (
  <Link className="press" href="/admin/messages/new">
    <Icon name="send" />
    New message
  </Link>
);
