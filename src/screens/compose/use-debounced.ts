import { useEffect, useState } from 'react';

/** Returns `value` once it has not changed for `milliseconds`. The initial value counts at once. */
export function useDebounced<Value>(value: Value, milliseconds: number): Value {
  const [settledValue, setSettledValue] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettledValue(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settledValue;
}
