import { useLayoutEffect, useRef } from 'react';

/** Whether the component is still mounted, for work that ends later. */
export function useIsMounted(): { readonly current: boolean } {
  const isMounted = useRef(true);
  useLayoutEffect(
    () => () => {
      isMounted.current = false;
    },
    [],
  );
  return isMounted;
}
