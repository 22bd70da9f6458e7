import { signal } from '@preact/signals-react';
import { onSessionEndOrPersonChange } from './session';

/** A person's data: back at `initial` when the session ends or another person signs in. */
export function personalSignal<Value>(initial: Value) {
  const data = signal(initial);
  onSessionEndOrPersonChange(() => {
    data.value = initial;
  });
  return data;
}
