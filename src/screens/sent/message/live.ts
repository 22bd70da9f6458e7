/** One message, as it is at this moment, for as long as somebody looks at it. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, errorMessage } from '../../../api/error';
import { watchWhileVisible, type Watch } from '../../../platform/visibility';
import type { Escalation, SentMessage } from '../../../shared/contract';
import type { KnownEscalation } from '../../../state/sending/escalation';
import { now } from '../../../state/clock';
import { MESSAGE_FAILED, readProgress, type SeenMessage } from '../../../state/sending/sent';
import { timeOf } from '../../../ui/values/Day';
import { lazy } from '../../../ui/lazy';
import { wasNeverSent } from '../words';
import { hasEnded, isComplete } from './ends';

/** So often it is asked how far a message is while that changes. */
const QUICK_MS = 2000;
/** And so often when little can: late answers still come. */
const SLOW_MS = 30_000;
/** So long a message waits for its escalation, to be shown with it. */
const PATIENCE_MS = 1000;

/** Comes with the first answers: the screen of messages has no room for it. */
const loadCourse = () => import('./EscalationCourse');
export const LazyEscalationCourse = lazy(() =>
  loadCourse().then((module) => module.EscalationCourse),
);

export interface Live {
  /** The last good answer. It stays when a later one fails. */
  message?: SentMessage;
  /** The same of its escalation, which never comes alone; null where the server knows of none. */
  escalation?: Escalation | null | undefined;
  /** When that was known to be so, in milliseconds since 1970 by this device's clock. */
  updated: number;
  /** Why the last question failed; empty if it did not. */
  failure: string;
  /** It failed for good: there is no such message. */
  missing?: boolean;
}

/** Follows a message. `look` asks at once. */
export function useLive(id: string): Live & { look: () => void } {
  const [live, setLive] = useState<Live>({ updated: 0, failure: '' });
  const watching = useRef<Watch>(undefined);
  useEffect(() => {
    let gone = false;
    let seen: SeenMessage | undefined;
    let course: KnownEscalation | undefined;
    let coming: Promise<void> | undefined;
    let isLate = false;
    /** One question at a time: an answer that is late must not undo a newer one. */
    const ask = () =>
      (coming ??= readCourse(id, course)
        .then(
          (known) => {
            course = known;
            if (isLate && !gone) setLive((old) => ({ ...old, escalation: known.value }));
          },
          () => undefined,
        )
        .finally(() => {
          coming = undefined;
        }));
    watching.current = watchWhileVisible(async () => {
      // Beside it, and shown with it: what comes later moves what is below. Without it the message
      // is shown all the same.
      const asked = ask();
      try {
        seen = await readProgress(id, seen);
        isLate = false;
        isLate = await takesLong(asked);
        if (!gone)
          setLive({
            message: seen.value,
            escalation: course?.value,
            updated: Date.now(),
            failure: '',
          });
        return pace(seen.value);
      } catch (thrown) {
        if (!gone) {
          const missing = thrown instanceof ApiError && thrown.status === 404;
          setLive((old) => ({ ...old, failure: errorMessage(thrown, MESSAGE_FAILED), missing }));
        }
        return paceAfter(thrown);
      }
    });
    return () => {
      gone = true;
      watching.current?.stop();
    };
  }, [id]);
  const look = useCallback(() => watching.current?.now(), []); // the same, so that no row is drawn anew for it
  return { ...live, look };
}

/** False as soon as it is there. `within` would be one file more for every administrator. */
const takesLong = (asked: Promise<void>): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS, true);
    void asked.then(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });

async function readCourse(
  id: string,
  before: KnownEscalation | undefined,
): Promise<KnownEscalation> {
  const [{ readEscalation }] = await Promise.all([loadCourse(), LazyEscalationCourse.preload()]);
  return readEscalation(id, before);
}

/**
 * Whether there is something to tell of it: not before it is sent, nor where it never was, nor
 * where it has no policy and nobody rang again.
 */
export const isEscalationShown = ({ policy, steps }: Escalation, message: SentMessage): boolean =>
  (policy !== null || steps.length > 0) &&
  message.state !== 'scheduled' &&
  !wasNeverSent(message) &&
  timeOf(message.sendAt) <= now();

function pace(message: SentMessage): number {
  const far = message.state === 'scheduled' && timeOf(message.sendAt) - now() > SLOW_MS;
  return far || hasEnded(message) || isComplete(message) ? SLOW_MS : QUICK_MS;
}

/** A server that says no goes on saying so, and one that says when is asked then. */
function paceAfter(thrown: unknown): number {
  if (!(thrown instanceof ApiError)) return SLOW_MS;
  if (thrown.retryAfter) return thrown.retryAfter * 1000;
  return thrown.status >= 400 && thrown.status < 500 ? SLOW_MS : QUICK_MS;
}
