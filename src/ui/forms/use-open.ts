import { useLayoutEffect, useRef } from 'react';

/** Whether the component is still mounted, for work that ends later. */
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
