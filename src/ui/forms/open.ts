import { useLayoutEffect, useRef } from 'react';

/** Whether a dialog, or what else asks, is still there, for what it began and what ends later. */
export function useOpen(): { readonly current: boolean } {
  const open = useRef(true);
  useLayoutEffect(
    () => () => {
      open.current = false;
    },
    [],
  );
  return open;
}
