/** Reading from the server for one screen: the latest question counts, and what is shown stays until its answer is there. */
import { useEffect, useState } from 'react';
import { ApiError, sentence } from '../api';

/** The sentence for what a call threw; empty where the session is over, as nobody is to see it then. */
export const explain = (thrown: unknown, fallback: string): string =>
  thrown instanceof ApiError && thrown.code === 'stale' ? '' : sentence(thrown, fallback);

interface Loaded<Value> {
  /** The last good answer. It stays when a later one fails. */
  value?: Value;
  /** Why the last question failed; empty if it did not. */
  failure: string;
  loading: boolean;
}

/** Asks whenever `wanted` changes, and again by `reload`. Answers to earlier questions, and to screens left, are dropped. */
export function useLoad<Wanted, Value>(wanted: Wanted, read: (wanted: Wanted) => Promise<Value>, fallback: string) {
  const [state, setState] = useState<Loaded<Value>>({ failure: '', loading: true });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let current = true;
    setState((old) => ({ ...old, loading: true }));
    read(wanted).then(
      (value) => current && setState({ value, failure: '', loading: false }),
      (thrown: unknown) => current && setState((old) => ({ ...old, failure: explain(thrown, fallback), loading: false })),
    );
    return () => {
      current = false;
    };
  }, [wanted, turn]);
  return { ...state, reload: () => setTurn((old) => old + 1) };
}
