import { effect, signal } from '@preact/signals-react';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { Link } from 'wouter';
import { writeStored } from '../../platform/storage/storage';
import { followInbox } from '../../state/inbox/follow';
import { inboxLoading, rows, unread, type Row } from '../../state/inbox/known';
import { isAdmin, onOtherPerson } from '../../state/session';
import { rereadTopics } from '../../state/subscriptions/load';
import { savedTopics } from '../../state/subscriptions/offline';
import { MessageRow } from './MessageRow';
import { FRESH } from './place';
import { useKeepInboxScroll } from './keep-inbox-scroll';

export { showKept } from '../../state/inbox/read';

const MAX_SHOWN = 2;
const byId = (id: string) => document.getElementById(id);
const isUnread = ({ readAt }: Row): boolean => readAt === null;

// Everything was read, here or elsewhere: reserve no room at the next start.
effect(() => {
  if (inboxLoading.value.is === 'ready' && !rows.value.some(isUnread)) writeStored(FRESH, '0px');
});

/** The latest unread messages. @param onKnown called before painting: reserve no more room */
export function NewMessages({ onKnown }: { onKnown: () => void }) {
  useEffect(followInbox, []);
  useKeepInboxScroll(
    () => [byId('mine')],
    () => byId(FRESH),
  );
  useLayoutEffect(() => {
    if (rows.peek().length > 0 || inboxLoading.peek().is === 'ready') onKnown();
  }, []);
  const shown = useShown();
  const left = useTopicsThatWereLeft(shown);
  useEffect(() => {
    if (!shown.some(isUnread)) return; // then the effect above keeps no room
    const section = byId(FRESH)?.firstElementChild as HTMLElement | null | undefined;
    const read = section?.querySelectorAll<HTMLElement>('li.read') ?? [];
    const height = [...read].reduce(
      (rest, row) => rest - row.offsetHeight,
      section?.offsetHeight ?? 0,
    );
    writeStored(FRESH, `${height}px`);
  });
  const all = (
    <Link className="alone" href="/messages">
      All messages
    </Link>
  );
  // Administrators' navigation does not lead there.
  if (!shown.length) return isAdmin.value ? <p>{all}</p> : null;
  return (
    <section aria-labelledby="new">
      <div className="bar">
        <h2 id="new">{shown.some(isUnread) ? `New messages (${unread.value})` : 'Messages'}</h2>
        {all}
      </div>
      <ul className="panel rows inbox">
        {shown.map((row) => (
          <MessageRow key={row.id} row={row} brief why={whyText(row, left)} />
        ))}
      </ul>
    </section>
  );
}

/** Messages read elsewhere stay: otherwise the topics would move. */
function useShown(): Row[] {
  const before = useRef<ReadonlySet<string>>(new Set());
  const fresh = rows.value.filter(isUnread).slice(0, MAX_SHOWN);
  const old = rows.value.filter((row) => !isUnread(row) && before.current.has(row.id));
  const shown = [...fresh, ...old].slice(0, MAX_SHOWN).sort((one, other) => other.seq - one.seq);
  before.current = new Set(shown.map(({ id }) => id));
  return shown;
}

/** Topics of messages that the server has confirmed not to be among this person's. */
const left = signal<ReadonlySet<number>>(new Set());
const asked = new Set<number>();
onOtherPerson(() => {
  asked.clear();
  left.value = new Set();
});

/** Reads the topics again where a message came of one that is not known here. */
function useTopicsThatWereLeft(shown: readonly Row[]): ReadonlySet<number> {
  const strange = shown.flatMap(({ topic }) =>
    topic && !savedTopics.value.some((one) => one.topic.id === topic.id) ? [topic.id] : [],
  );
  useEffect(() => {
    const news = strange.filter((id) => !asked.has(id));
    if (!news.length) return;
    for (const id of news) asked.add(id);
    void rereadTopics().then((told) => {
      if (told) left.value = new Set([...left.value, ...news]);
      else for (const id of news) asked.delete(id);
    });
  }, [strange.join()]);
  return new Set(strange.filter((id) => left.value.has(id)));
}

function whyText({ topic }: Row, gone: ReadonlySet<number>): string | undefined {
  if (!topic) return 'Sent to you, not to one of your topics.';
  return gone.has(topic.id) ? `You’re no longer subscribed to ${topic.title}.` : undefined;
}
