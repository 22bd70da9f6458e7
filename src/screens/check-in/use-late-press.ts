import { useEffect, useState } from 'react';
import { type UnsentPress, unsentPresses } from '../../state/check-ins/own-check-ins';

/** A press that is sent at once needs no warning. */
const WARN_AFTER_MS = 700;

/** The oldest press that this phone could not send yet. */
export function useLatePress(): UnsentPress | undefined {
  const [press] = unsentPresses.value;
  const [lateAt, setLateAt] = useState<string>();
  const at = press?.at;
  useEffect(() => {
    if (at === undefined) return undefined;
    const timer = setTimeout(() => setLateAt(at), WARN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [at]);
  return at === lateAt ? press : undefined;
}
