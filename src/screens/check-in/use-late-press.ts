import { useEffect, useState } from 'react';
import { type Press, uncountedHelp, unsentPress } from '../../state/check-ins/own-check-ins';

/** A press that is sent at once needs no warning. */
const WARN_AFTER_MS = 700;

/** The press that this phone could not send yet, or that did not count. */
export function useLatePress(): Press | undefined {
  const press = unsentPress.value;
  const [lateAt, setLateAt] = useState<string>();
  const pressedAt = press?.at;
  useEffect(() => {
    if (pressedAt === undefined) return undefined;
    const timer = setTimeout(() => setLateAt(pressedAt), WARN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [pressedAt]);
  return (pressedAt === lateAt && press) || uncountedHelp.value || undefined;
}
