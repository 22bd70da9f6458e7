import { useEffect, type ReactNode } from 'react';
import { errorMessage } from '../../api/error';
import { followInbox } from '../../state/inbox/follow-inbox';
import {
  waitsForAnswer,
  inboxLoading,
  hasOlderMessages,
  inboxRows,
  type InboxItem,
} from '../../state/inbox/inbox-state';
import { INBOX_FAILED, refreshInbox, loadOlderMessages } from '../../state/inbox/load-inbox';
import { findOlder, inboxQuery, inboxResults, searchInbox } from '../../state/inbox/search-inbox';
import { lazy } from '../../ui/lazy';
import { useCachedRows, useGradualCount } from '../../ui/lists/GradualRows';
import { notify } from '../../ui/notices';
import { Failure, Heading, Skeleton, useKeepFocus } from '../../ui/page';
import { Search } from '../../ui/lists/Search';
import { ReachChipSlot } from '../device-test/ReachChipSlot';
import { InboxRow } from './InboxRow';
import { rowsInView } from '../../ui/lists/keep-scroll';
import { useKeepInboxScroll } from './keep-inbox-scroll';
import { dayName } from './message-times';

/** Loaded on demand, because few inboxes are empty, long or all answered. */
const EmptyInbox = lazy(() => import('./EmptyInbox').then((module) => module.EmptyInbox));
const ShowOlderButton = lazy(() =>
  import('./ShowOlderButton').then((module) => module.ShowOlderButton),
);
const AllAnswered = lazy(() => import('./AllAnswered').then((module) => module.AllAnswered));

/** A person's messages, newest first, by day. */
export function Inbox() {
  useEffect(() => {
    const stop = followInbox();
    // The timer may be running already, and messages without a push are still unknown.
    void refreshInbox();
    return () => {
      stop();
      // Keep the search while a message is open.
      if (!/^\/messages\//.test(location.pathname)) void searchInbox('');
    };
  }, []);
  useKeepInboxScroll(() => rowsInView('.inbox > li'));
  useKeepFocus(inboxRows.value.length, inboxLoading.value.kind);
  const state = inboxLoading.value;
  const results = inboxResults.value;
  const list = results ? results.rows : inboxRows.value;
  const drawnCount = useGradualCount(list.length);
  const draw = useCachedRows(drawMessage);
  const empty = state.kind === 'ready' && inboxRows.value.length === 0 && !inboxQuery.value;
  return (
    <>
      <div className="bar">
        <Heading>Inbox</Heading>
        {!inboxRows.value.some(waitsForAnswer) && <AllAnswered rows={inboxRows.value} />}
        <ReachChipSlot name="reach_brief" />
      </div>
      {state.kind === 'failed' && (
        <Failure retry={() => void refreshInbox()}>{state.message}</Failure>
      )}
      {empty ? (
        <EmptyInbox />
      ) : (
        <>
          <search className="bar">
            <Search label="Search Messages" value={inboxQuery.value} onSearch={search} />
          </search>
          {!results && !list.length && state.kind !== 'failed' && <Skeleton disc />}
          {groupByDay(list, drawnCount).map(([day, messages, shown]) => (
            <Day key={day} messages={messages}>
              {messages.slice(0, shown).map(draw)}
            </Day>
          ))}
          {results && (
            <div className={list.length ? 'sr' : 'panel pad'}>
              <p className="muted" role="status">
                {list.length === 0 && (
                  <>
                    No results for “<bdi>{inboxQuery.value}</bdi>”. Try a shorter search.
                  </>
                )}
              </p>
            </div>
          )}
          {list.length > 0 && (results ? results.more : hasOlderMessages.value) && (
            <ShowOlderButton
              show={() => (results ? findOlder() : loadOlderMessages()).catch(notifyFailure)}
            />
          )}
        </>
      )}
    </>
  );
}

const notifyFailure = (thrown: unknown): void => {
  notify(errorMessage(thrown, INBOX_FAILED), 'bad');
};

const search = (words: string): void => void searchInbox(words).catch(notifyFailure);

const drawMessage = (row: InboxItem) => <InboxRow key={row.id} row={row} />;

/** Messages by day, with how many to draw; days beyond `drawnCount` are left out. */
function groupByDay(
  list: readonly InboxItem[],
  drawnCount: number,
): [day: string, InboxItem[], shown: number][] {
  const days = new Map<string, [string, InboxItem[], number]>();
  for (const [index, row] of list.entries()) {
    const day = new Date(row.createdAt).toDateString();
    const group = days.get(day);
    if (group) group[1].push(row);
    else if (index < drawnCount) days.set(day, [day, [row], drawnCount - index]);
    else break;
  }
  return [...days.values()];
}

function Day({ messages, children }: { messages: readonly InboxItem[]; children: ReactNode }) {
  const waitingCount = messages.filter(waitsForAnswer).length;
  const { id, createdAt } = messages[0] ?? { id: '', createdAt: '' };
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        <small>
          {dayName(createdAt)}
          {waitingCount > 0 &&
            ` · ${waitingCount} ${waitingCount === 1 ? 'needs' : 'need'} your answer`}
        </small>
      </h2>
      <ul className="panel rows inbox">{children}</ul>
    </section>
  );
}
