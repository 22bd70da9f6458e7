import { signal } from '@preact/signals-react';

/** True in the last five minutes of a session. Set by code that loads after the first screen. */
export const sessionEndsSoon = signal(false);
