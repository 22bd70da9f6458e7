/**
 * What the frame shows of the inbox. Apart from the inbox itself, whose code comes when the first
 * screen is there.
 */
import { signal } from '@preact/signals-react';

export const summary = signal({
  /** Messages that were not read. */
  unread: 0,
  /** Answers that wait until the server can be reached. */
  waiting: 0,
  /** While the server cannot be reached: as of when messages are shown, in milliseconds. */
  asOf: null as number | null,
  /** Whether it is followed: the inbox's code is here. */
  known: false,
});
