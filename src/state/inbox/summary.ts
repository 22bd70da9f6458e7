/**
 * What the frame shows of the inbox. Apart from the inbox itself, whose code comes when the first
 * screen is there.
 */
import { signal } from '@preact/signals-react';

export const summary = signal({
  /** Behind `Messages` in the navigation: ` (2)`, or empty. */
  unread: '',
  /** What waits for a connection: ` 1 answer waits.`, or empty. */
  waiting: '',
  /** While the server cannot be reached: as of when messages are shown, in milliseconds. */
  asOf: null as number | null,
  /** Whether the inbox's code is here. */
  known: false,
});
