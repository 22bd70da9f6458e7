/** Follows a message while someone looks at it. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, errorMessage } from '../../../api/error';
import { watchWhileVisible, type VisibilityWatch } from '../../../platform/visibility';
import type { Escalation, SentMessage } from '../../../shared/contract';
import type { KnownEscalation } from '../../../state/messages/escalation';
import { serverNow } from '../../../state/clock';
import type { CallArea } from '../../../state/messages/call-area';
import {
  MESSAGE_FAILED,
  readProgress,
  type SeenMessage,
} from '../../../state/messages/sent-messages';
import { parseTime } from '../../../ui/values/Day';
import { lazy } from '../../../ui/lazy';
import { wasNeverSent } from '../message-texts';
import { hasEnded, isFullyAnswered } from './allowed-changes';

/** How often to ask while it changes. */
const QUICK_MS = 2000;
/** How often to ask when only late answers can come. */
const SLOW_MS = 30_000;
/** How long to wait for the escalation, to show both together. */
const SLOW_RESPONSE_MS = 1000;

/** Loads with the first responses: the screen's chunk has no room for it. */
const loadTimeline = () => import('./EscalationTimeline');
export const LazyEscalationTimeline = lazy(() =>
  loadTimeline().then((module) => module.EscalationTimeline),
);

export interface FollowedMessage {
  /** The last good response; it stays after a failure. */
  message?: SentMessage;
  /** Never without `message`; null if the server does not support it. */
  escalation?: Escalation | null | undefined;
  /** Milliseconds since 1970, by this device's clock. */
  updated: number;
  failure: string;
  /** There is no such message. */
  missing?: boolean;
}

/** `refresh` refreshes at once. Senders see no escalation. */
export function useFollowedMessage(
  area: CallArea,
  id: string,
): FollowedMessage & { refresh: () => void } {
  const [followed, setFollowed] = useState<FollowedMessage>({ updated: 0, failure: '' });
  const watching = useRef<VisibilityWatch>(undefined);
  useEffect(() => {
    let unmounted = false;
    let seenMessage: SeenMessage | undefined;
    let shownEscalation: KnownEscalation | undefined;
    let coming: Promise<void> | undefined;
    let isLate = false;
    /** One request at a time: a late response must not replace a newer one. */
    const ask = () =>
      (coming ??= (area === 'admin' ? loadEscalation(id, shownEscalation) : NO_ESCALATION)
        .then(
          (known) => {
            shownEscalation = known;
            if (isLate && !unmounted) setFollowed((old) => ({ ...old, escalation: known.value }));
          },
          () => undefined,
        )
        .finally(() => {
          coming = undefined;
        }));
    watching.current = watchWhileVisible(async () => {
      // In parallel, and shown together: a later one would move what is below. Without it the
      // message is shown alone.
      const reading = ask();
      try {
        seenMessage = await readProgress(area, id, seenMessage);
        isLate = false;
        isLate = await takesLong(reading);
        if (!unmounted)
          setFollowed({
            message: seenMessage.value,
            escalation: shownEscalation?.value,
            updated: Date.now(),
            failure: '',
          });
        return pace(seenMessage.value);
      } catch (thrown) {
        if (!unmounted) {
          const missing = thrown instanceof ApiError && thrown.status === 404;
          setFollowed((old) => ({
            ...old,
            failure: errorMessage(thrown, MESSAGE_FAILED),
            missing,
          }));
        }
        return paceAfter(thrown);
      }
    });
    return () => {
      unmounted = true;
      watching.current?.stop();
    };
  }, [area, id]);
  const refresh = useCallback(() => watching.current?.checkNow(), []); // the same, so that no row is drawn again for it
  return { ...followed, refresh };
}

/** Not `within`, which would be another chunk for every administrator. */
const takesLong = (reading: Promise<void>): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, SLOW_RESPONSE_MS, true);
    void reading.then(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });

const NO_ESCALATION: Promise<KnownEscalation> = Promise.resolve({ value: null, tag: null });

async function loadEscalation(
  id: string,
  before: KnownEscalation | undefined,
): Promise<KnownEscalation> {
  const [{ readEscalation }] = await Promise.all([
    loadTimeline(),
    LazyEscalationTimeline.preload(),
  ]);
  return readEscalation(id, before);
}

/** Not before it is sent, nor if it never was, nor without anything that happened since. */
export const isEscalationShown = ({ policy, steps }: Escalation, message: SentMessage): boolean =>
  (policy !== null || steps.length > 0 || !!message.revisedAt || !!message.allClearAt) &&
  message.state !== 'scheduled' &&
  !wasNeverSent(message) &&
  parseTime(message.sendAt) <= serverNow();

function pace(message: SentMessage): number {
  const far = message.state === 'scheduled' && parseTime(message.sendAt) - serverNow() > SLOW_MS;
  return far || hasEnded(message) || isFullyAnswered(message) ? SLOW_MS : QUICK_MS;
}

/** A rejection is likely to repeat, so ask slowly, or when the server says. */
function paceAfter(thrown: unknown): number {
  if (!(thrown instanceof ApiError)) return SLOW_MS;
  if (thrown.retryAfter) return thrown.retryAfter * 1000;
  return thrown.status >= 400 && thrown.status < 500 ? SLOW_MS : QUICK_MS;
}
