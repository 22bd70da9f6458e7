import { useState } from 'react';
import type { Topic } from '../../shared/contract';
import { lazy } from '../../ui/lazy';
import { Heading } from '../../ui/page';
import { Search } from '../../ui/Search';
import { LIST_RULES, oneOf, useAddress } from '../lists/address';
import { Deletion } from '../lists/Deletion';
import { Listing } from '../lists/Listing';
import { usePages } from '../lists/pages';
import { draftFor } from '../../state/sending/messages';
import { SendDialog } from './SendDialog';
import { Subscribers } from './Subscribers';
import { TopicForm } from './TopicForm';
import { TopicTable, type TopicAction } from './TopicTable';
import { FETCH_FAILED, readTopics } from '../../state/topics';
import { SORTS } from './order';

const Keys = lazy(() => import('./Keys').then((module) => module.Keys));
const RULES = { ...LIST_RULES, sort: oneOf(...SORTS) };

type Open = { dialog: 'add' } | { dialog: TopicAction; topic: Topic };

/**
 * Topic management: the list with its search, order and pages, and a dialog for each thing to do.
 */
export function Topics() {
  const address = useAddress(RULES);
  const list = usePages(address, readTopics, FETCH_FAILED);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <>
      <div className="bar">
        <Heading>Topics</Heading>
        <button type="button" onClick={() => setOpen({ dialog: 'add' })}>
          Add Topic
        </button>
      </div>
      <search className="bar">
        <Search label="Search Topics" value={list.query} onSearch={list.search} />
      </search>
      <Listing
        list={list}
        noun="topic"
        empty="There are no topics yet. Press Add Topic to create the first one."
      >
        {(rows) => (
          <TopicTable
            rows={rows}
            sort={address.parts.sort}
            onSort={(sort) => address.change({ sort })}
            onAct={(dialog, topic) => setOpen({ dialog, topic })}
          />
        )}
      </Listing>
      {open?.dialog === 'add' && <TopicForm onClose={close} onDone={list.reload} />}
      {open?.dialog === 'edit' && (
        <TopicForm topic={open.topic} onClose={close} onDone={list.reload} />
      )}
      {open?.dialog === 'delete' && (
        <Deletion
          kind="topic"
          id={open.topic.id}
          name={open.topic.title}
          onClose={close}
          onDone={list.reload}
        />
      )}
      {open?.dialog === 'subscribers' && <Subscribers topic={open.topic} onClose={close} />}
      {open?.dialog === 'keys' && <Keys topic={open.topic} onClose={close} />}
      {open?.dialog === 'send' && (
        <SendDialog topic={open.topic} draft={draftFor(open.topic.id)} onClose={close} />
      )}
    </>
  );
}
