import { useEffect, useState } from 'react';
import type { Topic } from '../../shared/contract';
import { EmptyList } from '../../ui/EmptyList';
import { Icon } from '../../ui/Icon';
import { lazy } from '../../ui/lazy';
import { Heading } from '../../ui/page';
import { Search } from '../../ui/lists/Search';
import { LIST_RULES, oneOf, useListAddress } from '../lists/list-address';
import { Listing } from '../lists/Listing';
import { PageSizeField, usePageSize } from '../lists/PageSize';
import { rangeText } from '../../ui/lists/Pager';
import { usePages } from '../lists/use-pages';
import { draftFor } from '../../state/messages/messages';
import { SendDialog } from './SendDialog';
import type { OpenTopicDialog } from './TopicDialogs';
import { TopicTable } from './TopicTable';
import { TOPIC_PAGE_FAILED, readTopics } from '../../state/topics/topics';
import { TOPIC_SORTS } from './topic-order';

const Dialogs = lazy(() => import('./TopicDialogs').then((module) => module.TopicDialogs));
const TOPIC_ADDRESS_RULES = { ...LIST_RULES, sort: oneOf(...TOPIC_SORTS) };

type Opened = OpenTopicDialog | { dialog: 'send'; topic: Topic };

export function Topics() {
  const address = useListAddress(TOPIC_ADDRESS_RULES);
  const setting = usePageSize();
  const list = usePages(address, readTopics, TOPIC_PAGE_FAILED, [], setting.limit);
  const { shown } = list;
  // Preloads the dialogs.
  useEffect(() => void (shown && Dialogs.preload()), [shown]);
  const [open, setOpen] = useState<Opened>();
  const close = () => setOpen(undefined);
  return (
    <>
      <div className="bar">
        <Heading>Topics</Heading>
        <button type="button" onClick={() => setOpen({ dialog: 'add' })}>
          <Icon name="plus" />
          Add Topic
        </button>
      </div>
      <search className="bar">
        <Search label="Search Topics" value={list.query} onSearch={list.search} />
      </search>
      <Listing
        list={list}
        noun="topic"
        empty={
          <EmptyList
            icon="tag"
            title="No topics yet"
            hint="People subscribed to a topic get the messages you send to it."
          >
            <button type="button" onClick={() => setOpen({ dialog: 'add' })}>
              Add your first topic
            </button>
          </EmptyList>
        }
        status={
          shown && address.parts.sort && list.last > 1
            ? `Sorted on this page only · ${rangeText(shown, 'topic')}`
            : undefined
        }
        controls={<PageSizeField setting={setting} address={address} />}
      >
        {(rows) => (
          <TopicTable
            rows={rows}
            sort={address.parts.sort}
            onSort={(sort) => address.change({ sort })}
            onAction={(dialog, topic) => setOpen({ dialog, topic })}
          />
        )}
      </Listing>
      {open && open.dialog !== 'send' && (
        <Dialogs open={open} onClose={close} onDone={list.reload} />
      )}
      {open?.dialog === 'send' && (
        <SendDialog topic={open.topic} draft={draftFor(open.topic.id)} onClose={close} />
      )}
    </>
  );
}
