/** Searches messages: on the server, or offline in what this device has kept. */
import { computed } from '@preact/signals-react';
import { ApiError } from '../../api/error';
import { personalSignal } from '../personal-signal';
import { knownMessages, toInboxRows } from './inbox-state';
import { findMessages, isFullPage } from './load-inbox';

interface SearchResults {
  ids: readonly string[];
  /** Whether the server may have older ones. */
  more: boolean;
}

/** The searched words; empty without a search. */
export const inboxQuery = personalSignal('');
const searchResults = personalSignal<SearchResults | null>(null);
/** What the search found; null without a search. */
export const inboxResults = computed(
  () =>
    searchResults.value && {
      rows: toInboxRows(searchResults.value.ids),
      more: searchResults.value.more,
    },
);

/**
 * The old results stay until the response is there.
 * @throws {ApiError} if the server rejects
 */
export async function searchInbox(words: string): Promise<void> {
  inboxQuery.value = words;
  if (!words) {
    searchResults.value = null;
    return;
  }
  await loadResults(words, () => findMessages(words));
}

/** @throws {ApiError} */
export async function findOlder(): Promise<void> {
  const words = inboxQuery.value;
  const ids = searchResults.value?.ids ?? [];
  const oldest = knownMessages.value.get(ids.at(-1) ?? '');
  if (oldest) await loadResults(words, () => findMessages(words, oldest.seq), ids);
}

async function loadResults(
  words: string,
  requestMessages: () => ReturnType<typeof findMessages>,
  earlierIds: readonly string[] = [],
): Promise<void> {
  try {
    const messages = await requestMessages();
    if (inboxQuery.value === words)
      searchResults.value = {
        ids: [...earlierIds, ...messages.map(({ id }) => id)],
        more: isFullPage(messages),
      };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'stale' || inboxQuery.value !== words)
      return;
    if (error.code !== 'unreachable' || earlierIds.length) throw error;
    searchResults.value = { ids: findKeptIds(words), more: false };
  }
}

/** Matches as the server does: every word, in any order, in title or text, ignoring case. */
function findKeptIds(words: string): string[] {
  const searchWords = words.toLowerCase().split(/\s+/);
  return [...knownMessages.value.values()]
    .filter(({ title, message }) =>
      searchWords.every((word) => `${title} ${message}`.toLowerCase().includes(word)),
    )
    .sort((one, other) => other.seq - one.seq)
    .map(({ id }) => id);
}
