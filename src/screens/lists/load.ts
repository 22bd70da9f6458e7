/**
 * Reading from the server for one screen: the latest question counts, and the shown rows stay until
 * its answer is there.
 */
import { useEffect, useState } from 'react';
import { ApiError, errorMessage } from '../../api/error';
import { connected } from '../../platform/connection';
import { onReconnect } from '../../platform/network';
import { showStale } from '../../state/shown-as-of';

/** A quicker answer is shown without a sign of waiting before. */
const QUICK_MS = 100;
/** A person who would wait longer than this is asked instead. */
const MAX_WAIT_S = 120;
const RETRY_NOTE = ' It is then tried again by itself.';

interface Loaded<Value> {
  /** The last good answer. It stays when a later one fails. */
  value?: Value;
  /** When it came, in milliseconds since 1970. */
  asOf?: number;
  /** Why the last question failed; empty if it did not. */
  failure: string;
  /** It failed as no answer came at all. */
  unreachable?: boolean;
  /** It failed for good: there is no such thing. */
  missing?: boolean;
  /**
   * There is no answer yet to the present question: at first and after `reload` at once, else after
   * a tenth of a second.
   */
  loading: boolean;
}

/**
 * Asks whenever `wanted` changes, again by `reload`, and by itself when the server has said how
 * long it is to be left alone. Answers to earlier questions, and to screens left, are dropped.
 */
export function useLoad<Wanted, Value>(
  wanted: Wanted,
  read: (wanted: Wanted) => Promise<Value>,
  fallback: string,
) {
  const [state, setState] = useState<Loaded<Value>>({ failure: '', loading: true });
  const [turn, setTurn] = useState(0);
  const reload = () => {
    // At once: a person who pressed Retry, or changed something, sees that it is under way.
    setState((old) => ({ ...old, loading: true }));
    setTurn((old) => old + 1);
  };
  useEffect(() => {
    let current = true;
    let again: ReturnType<typeof setTimeout> | undefined;
    const slow = setTimeout(
      () => setState((old) => (old.loading ? old : { ...old, loading: true })),
      QUICK_MS,
    );
    const asked = read(wanted).finally(() => clearTimeout(slow));
    asked.then(
      (value) => current && setState({ value, asOf: Date.now(), failure: '', loading: false }),
      (thrown: unknown) => {
        if (!current) return;
        const wait = thrown instanceof ApiError ? (thrown.retryAfter ?? Infinity) : Infinity;
        const soon = wait <= MAX_WAIT_S;
        if (soon) again = setTimeout(reload, wait * 1000);
        setState((old) => ({
          ...old,
          failure: errorMessage(thrown, fallback) + (soon ? RETRY_NOTE : ''),
          unreachable: thrown instanceof ApiError && thrown.code === 'unreachable',
          missing: thrown instanceof ApiError && thrown.status === 404,
          loading: false,
        }));
      },
    );
    return () => {
      current = false;
      clearTimeout(slow);
      clearTimeout(again);
    };
  }, [wanted, turn]);
  const { asOf } = state;
  const offline = !connected.value || state.unreachable === true;
  useEffect(() => {
    if (!offline) return;
    const stops = [onReconnect(reload), ...(asOf === undefined ? [] : [showStale(asOf)])];
    return () => stops.forEach((stop) => stop());
  }, [offline, asOf]);
  return { ...state, reload, retry: state.missing ? undefined : reload };
}
