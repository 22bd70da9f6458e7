/** Loads data for one screen: the latest request counts, and old rows stay until its response. */
import { useEffect, useState } from 'react';
import { ApiError, errorMessage } from '../../api/error';
import { isConnected } from '../../platform/connection';
import { onReconnect } from '../../platform/network';
import { reportStaleData } from '../../state/shown-as-of';

/** A faster response shows no loading state. */
const LOADING_STATE_DELAY_MS = 100;
/** After a longer wait the person decides. */
const MAX_WAIT_S = 120;
const RETRY_NOTE = ' We’ll try again automatically.';

interface Loaded<Value> {
  /** The last good response, which stays after a failure. */
  value?: Value;
  /** Milliseconds since 1970. */
  asOf?: number;
  failure: string;
  /** No response came. */
  unreachable?: boolean;
  /** The server has no such object. */
  missing?: boolean;
  /** At once initially and after `reload`, otherwise after a tenth of a second. */
  loading: boolean;
}

/** Loads when `request` changes, on `reload`, and after the server's `Retry-After`. */
export function useLoad<Request, Value>(
  request: Request,
  read: (wanted: Request) => Promise<Value>,
  fallback: string,
) {
  const [state, setState] = useState<Loaded<Value>>({ failure: '', loading: true });
  const [attempt, setAttempt] = useState(0);
  const reload = () => {
    // The state changes at once, so that a press on Retry has a visible effect.
    setState((previous) => ({ ...previous, loading: true }));
    setAttempt((previous) => previous + 1);
  };
  useEffect(() => {
    let current = true;
    let retryTimer: ReturnType<typeof setTimeout> | undefined;
    const loadingTimer = setTimeout(
      () => setState((previous) => (previous.loading ? previous : { ...previous, loading: true })),
      LOADING_STATE_DELAY_MS,
    );
    const pendingRead = read(request).finally(() => clearTimeout(loadingTimer));
    pendingRead.then(
      (value) => current && setState({ value, asOf: Date.now(), failure: '', loading: false }),
      (thrown: unknown) => {
        if (!current) return;
        const wait = thrown instanceof ApiError ? (thrown.retryAfter ?? Infinity) : Infinity;
        const isRetriedSoon = wait <= MAX_WAIT_S;
        if (isRetriedSoon) retryTimer = setTimeout(reload, wait * 1000);
        setState((previous) => ({
          ...previous,
          failure: errorMessage(thrown, fallback) + (isRetriedSoon ? RETRY_NOTE : ''),
          unreachable: thrown instanceof ApiError && thrown.code === 'unreachable',
          missing: thrown instanceof ApiError && thrown.status === 404,
          loading: false,
        }));
      },
    );
    return () => {
      current = false;
      clearTimeout(loadingTimer);
      clearTimeout(retryTimer);
    };
  }, [request, attempt]);
  const { asOf } = state;
  const offline = !isConnected.value || state.unreachable === true;
  useEffect(() => {
    if (!offline) return;
    const stopFunctions = [
      onReconnect(reload),
      ...(asOf === undefined ? [] : [reportStaleData(asOf)]),
    ];
    return () => stopFunctions.forEach((stop) => stop());
  }, [offline, asOf]);
  return { ...state, reload, retry: state.missing ? undefined : reload };
}
