import { useEffect, type ReactNode } from 'react';
import { errorMessage } from '../../api/error';
import { followInbox } from '../../state/inbox/follow-inbox';
import {
  waitsForAnswer,
  waitsUrgently,
  inboxLoading,
  isNewestOfCheckIn,
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
import { usePinnedIds } from './use-pinned-ids';

/** Loaded on demand, because few inboxes are empty, long or all answered. */
const EmptyInbox = lazy(() => import('./EmptyInbox').then((module) => module.EmptyInbox));
const ShowOlderButton = lazy(() =>
  import('./ShowOlderButton').then((module) => module.ShowOlderButton),
);
const AllAnswered = lazy(() => import('./AllAnswered').then((module) => module.AllAnswered));

/** A person's messages: urgent ones to answer, then the rest by day, newest first. */
export function Inbox() {
  useEffect(() => {
    const stop = followInbox();
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
  const waiting = useWaitingRows(results ? NO_ROWS : list);
  const rest = waiting.length ? list.filter((row) => !waiting.includes(row)) : list;
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
          {waiting.length > 0 && (
            <Group
              id="waiting"
              heading={waiting.some(waitsForAnswer) ? 'Waiting for your answer' : 'Urgent'}
            >
              {waiting.slice(0, drawnCount).map((row) => (
                <InboxRow key={row.id} row={row} dated />
              ))}
            </Group>
          )}
          {groupByDay(rest, drawnCount - waiting.length).map(([day, messages, shown]) => (
            <Group key={day} id={messages[0]?.id ?? day} heading={dayHeading(messages)}>
              {messages.slice(0, shown).map(draw)}
            </Group>
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

const NO_ROWS: readonly InboxItem[] = [];

function useWaitingRows(rows: readonly InboxItem[]): readonly InboxItem[] {
  const shownIds = usePinnedIds();
  return rows.filter(
    (row, index) =>
      shownIds.has(row.id) ||
      (waitsUrgently(row) && isNewestOfCheckIn(row, index, rows) && shownIds.add(row.id)),
  );
}

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

function dayHeading(messages: readonly InboxItem[]): ReactNode {
  const waitingCount = messages.filter(waitsForAnswer).length;
  return (
    <>
      {dayName(messages[0]?.createdAt ?? '')}
      {waitingCount > 0 &&
        ` · ${waitingCount} ${waitingCount === 1 ? 'needs' : 'need'} your answer`}
    </>
  );
}

const Group = ({
  id,
  heading,
  children,
}: {
  id: string;
  heading: ReactNode;
  children: ReactNode;
}) => (
  <section aria-labelledby={id}>
    <h2 id={id}>
      <small>{heading}</small>
    </h2>
    <ul className="panel rows inbox">{children}</ul>
  </section>
);
