// What the shell shows of the inbox, whose own code loads after the first screen.
import { signal } from '@preact/signals-react';

export const inboxSummary = signal({
  /** How many messages are new, for `Inbox` in the navigation. */
  unread: 0,
  /** Whether an urgent message waits for an answer. */
  urgent: false,
  /** A sentence such as ` 1 answer not sent yet.`, or empty text. */
  waiting: '',
  /** When the server was last asked, while it is unreachable; milliseconds. */
  asOf: null as number | null,
  /** Whether the inbox's code is loaded. */
  known: false,
});
