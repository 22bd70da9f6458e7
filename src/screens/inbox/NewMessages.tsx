import { effect } from '@preact/signals-react';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { Link } from 'wouter';
import { writeStored } from '../../platform/storage/storage';
import { followInbox } from '../../state/inbox/follow-inbox';
import {
  inboxLoading,
  inboxRows,
  isNewestOfCheckIn,
  waitsUrgently,
  unreadCount,
  type InboxItem,
} from '../../state/inbox/inbox-state';
import { personalSignal } from '../../state/personal-signal';
import { isAdmin } from '../../state/session';
import { loadTopics, topicsResponses } from '../../state/subscriptions/load-topics';
import { savedTopics } from '../../state/subscriptions/cached-topics';
import { InboxRow } from './InboxRow';
import { isUrgent } from './MessageMarks';
import { NEW_MESSAGES_ID } from './new-messages-id';
import { useKeepInboxScroll } from './keep-inbox-scroll';
import { usePinnedIds } from './use-pinned-ids';

export { showKeptMessages } from '../../state/inbox/load-inbox';

const MAX_PINNED_MESSAGES = 3;
const MAX_UNREAD_MESSAGES = 2;
const getElement = (id: string) => document.getElementById(id);
const isUnread = ({ readAt }: InboxItem): boolean => readAt === null;
const isDue = (row: InboxItem): boolean => waitsUrgently(row) || isUnread(row);

// Everything was read and answered, here or elsewhere: reserve no room at the next start.
effect(() => {
  if (inboxLoading.value.kind === 'ready' && !inboxRows.value.some(isDue))
    writeStored(NEW_MESSAGES_ID, '0px');
});

/**
 * Urgent messages to answer, then the latest unread ones.
 * @param onKnown called before painting: reserve no more room
 */
export function NewMessages({ onKnown }: { onKnown: () => void }) {
  useEffect(followInbox, []);
  useKeepInboxScroll(
    () => [getElement('mine')],
    () => getElement(NEW_MESSAGES_ID),
  );
  useLayoutEffect(() => {
    if (inboxRows.peek().length > 0 || inboxLoading.peek().kind === 'ready') onKnown();
  }, []);
  const shownRows = useShownRows();
  const goneTopicIds = useGoneTopicIds(shownRows);
  useEffect(() => {
    if (!shownRows.some(isDue)) return; // then the effect above keeps no room
    const section = getElement(NEW_MESSAGES_ID)?.firstElementChild as
      | HTMLElement
      | null
      | undefined;
    const rows = section?.querySelectorAll('li') ?? [];
    const height = [...rows].reduce((rest, row, index) => {
      const message = shownRows[index];
      return message && isDue(message) ? rest : rest - row.offsetHeight;
    }, section?.offsetHeight ?? 0);
    writeStored(NEW_MESSAGES_ID, `${height}px`);
  });
  const list = (
    <Link className="alone" href="/messages">
      All messages
    </Link>
  );
  // Administrators' navigation does not lead there.
  if (!shownRows.length) return isAdmin.value ? <p>{list}</p> : null;
  return (
    <section aria-labelledby="new">
      <div className="bar">
        <h2 id="new">
          {shownRows.some(isUnread)
            ? `New messages (${unreadCount.value})`
            : shownRows.some(waitsUrgently)
              ? 'Waiting for your answer'
              : 'Messages'}
        </h2>
        {list}
      </div>
      <ul className="panel rows inbox">
        {shownRows.map((row) => (
          <InboxRow key={row.id} row={row} brief why={whyText(row, goneTopicIds)} />
        ))}
      </ul>
    </section>
  );
}

/**
 * Messages that were read or answered stay where they are: otherwise the topics would move, and
 * the answered message would vanish from under the finger.
 */
function useShownRows(): InboxItem[] {
  const formerIds = useRef<ReadonlySet<string>>(new Set());
  const pinnedIds = usePinnedIds();
  const rows = inboxRows.value.filter(isNewestOfCheckIn);
  const currentlyPinned = rows.filter(waitsUrgently).slice(0, MAX_PINNED_MESSAGES);
  const pinnedRows = rows.filter(
    (row) => pinnedIds.has(row.id) || (currentlyPinned.includes(row) && pinnedIds.add(row.id)),
  );
  const restRows = rows.filter((row) => !pinnedRows.includes(row));
  const unreadRows = restRows
    .filter((row) => isUnread(row) && !waitsUrgently(row))
    .slice(0, MAX_UNREAD_MESSAGES);
  const earlierRows = restRows.filter(
    (row) =>
      !isDue(row) && formerIds.current.has(row.id) && (row.priority !== 'urgent' || isUrgent(row)),
  );
  const otherRows = [...unreadRows, ...earlierRows].slice(
    0,
    Math.max(MAX_UNREAD_MESSAGES, formerIds.current.size - pinnedRows.length),
  );
  const shownRows = [...pinnedRows, ...otherRows.sort((a, b) => b.seq - a.seq)];
  formerIds.current = new Set(shownRows.map(({ id }) => id));
  return shownRows;
}

/**
 * Topics of messages that are not among the person's, each with `topicsResponses` when it was seen.
 */
const requestedTopics = personalSignal<ReadonlyMap<number, number>>(new Map());

/**
 * Loads the topics again when a message has an unknown topic.
 * @returns the ids of missing topics
 */
function useGoneTopicIds(rows: readonly InboxItem[]): ReadonlySet<number> {
  const unknownTopicIds = rows.flatMap(({ topic }) =>
    topic && !savedTopics.value.some((subscription) => subscription.topic.id === topic.id)
      ? [topic.id]
      : [],
  );
  useEffect(() => {
    const newTopicIds = unknownTopicIds.filter((id) => !requestedTopics.peek().has(id));
    if (!newTopicIds.length) return;
    const responses = topicsResponses.peek();
    requestedTopics.value = new Map([
      ...requestedTopics.peek(),
      ...newTopicIds.map((id) => [id, responses] as const),
    ]);
    void loadTopics(true);
  }, [unknownTopicIds.join()]);
  return new Set(
    unknownTopicIds.filter(
      (id) => topicsResponses.value > (requestedTopics.value.get(id) ?? Number.POSITIVE_INFINITY),
    ),
  );
}

function whyText(row: InboxItem, goneTopicIds: ReadonlySet<number>): string | undefined {
  const { topic } = row;
  // A push does not name the topic.
  if (!topic) return 'pushed' in row ? undefined : 'Sent to you directly.';
  return goneTopicIds.has(topic.id) ? `You’re no longer subscribed to ${topic.title}.` : undefined;
}
