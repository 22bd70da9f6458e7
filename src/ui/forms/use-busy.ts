import { useState } from 'react';

/** The second press of a double press comes sooner. */
const DOUBLE_PRESS_MS = 1000;

/** Whether a button's work is under way. After success, a double press must not repeat it. */
export function useBusy<Work = true>() {
  const [busy, begin] = useState<Work>();
  return {
    busy,
    begin,
    end: (isDone: boolean) =>
      isDone ? void setTimeout(begin, DOUBLE_PRESS_MS, undefined) : begin(undefined),
  };
}
