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
import { wasNeverSent, hasEnded } from '../message-texts';
import { isFullyAnswered } from './allowed-changes';

/** The interval of requests while the message changes. */
const FAST_INTERVAL_MS = 2000;
/** The interval of requests once only late answers can come. */
const SLOW_INTERVAL_MS = 30_000;
/** The longest wait for the escalation, so that message and escalation appear together. */
const ESCALATION_WAIT_MS = 1000;

/** Both load with the first responses: the screen's chunk has no room for the code. */
export const LazyPeopleTable = lazy(() =>
  import('./PeopleTable').then((module) => module.PeopleTable),
);
const loadTimeline = () => import('./EscalationTimeline');
export const LazyEscalationTimeline = lazy(() =>
  loadTimeline().then((module) => module.EscalationTimeline),
);

export interface FollowedMessage {
  /** The last good response, which stays after a failure. */
  message?: SentMessage;
  /**
   * The escalation is undefined without `message`, and null if the server does not support
   * escalation.
   */
  escalation?: Escalation | null | undefined;
  /** Milliseconds since 1970, by this device's clock. */
  updated: number;
  failure: string;
  /** The server has no such message. */
  missing?: boolean;
}

/** `refresh` loads the message at once. Senders see no escalation. */
export function useFollowedMessage(
  area: CallArea,
  id: string,
): FollowedMessage & { refresh: () => void } {
  const [followed, setFollowed] = useState<FollowedMessage>({ updated: 0, failure: '' });
  const watching = useRef<VisibilityWatch>(undefined);
  useEffect(() => {
    void LazyPeopleTable.preload();
    let unmounted = false;
    let seenMessage: SeenMessage | undefined;
    let shownEscalation: KnownEscalation | undefined;
    let pendingLoad: Promise<void> | undefined;
    let isEscalationLate = false;
    /** Requests run one at a time: a late response must not replace a newer response. */
    const reloadEscalation = () =>
      (pendingLoad ??= (area === 'admin' ? loadEscalation(id, shownEscalation) : NO_ESCALATION)
        .then(
          (known) => {
            shownEscalation = known;
            if (isEscalationLate && !unmounted)
              setFollowed((previous) => ({ ...previous, escalation: known.value }));
          },
          () => undefined,
        )
        .finally(() => {
          pendingLoad = undefined;
        }));
    watching.current = watchWhileVisible(async () => {
      // The escalation loads in parallel and appears with the message, so that it does not move the
      // content below. A slow escalation appears later.
      const escalationLoad = reloadEscalation();
      try {
        seenMessage = await readProgress(area, id, seenMessage);
        isEscalationLate = false; // an escalation that arrives in time is shown with this message
        isEscalationLate = await isLoadSlow(escalationLoad);
        if (!unmounted)
          setFollowed({
            message: seenMessage.value,
            escalation: shownEscalation?.value,
            updated: Date.now(),
            failure: '',
          });
        return getReloadDelay(seenMessage.value);
      } catch (error) {
        if (!unmounted) {
          const missing = error instanceof ApiError && error.status === 404;
          setFollowed((previous) => ({
            ...previous,
            failure: errorMessage(error, MESSAGE_FAILED),
            missing,
          }));
        }
        return getRetryDelay(error);
      }
    });
    return () => {
      unmounted = true;
      watching.current?.stop();
    };
  }, [area, id]);
  // A stable function does not render the rows again.
  const refresh = useCallback(() => watching.current?.checkNow(), []);
  return { ...followed, refresh };
}

/** Repeats the code of `within`, whose import would load another chunk for every administrator. */
const isLoadSlow = (escalationLoad: Promise<void>): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ESCALATION_WAIT_MS, true);
    void escalationLoad.then(() => {
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

/**
 * The escalation of a sent message is shown once the message has a policy, a step or a revision.
 */
export const isEscalationShown = ({ policy, steps }: Escalation, message: SentMessage): boolean =>
  (policy !== null || steps.length > 0 || !!message.revisedAt || !!message.allClearAt) &&
  message.state !== 'scheduled' &&
  !wasNeverSent(message) &&
  parseTime(message.sendAt) <= serverNow();

function getReloadDelay(message: SentMessage): number {
  const isFarAhead =
    message.state === 'scheduled' && parseTime(message.sendAt) - serverNow() > SLOW_INTERVAL_MS;
  return isFarAhead || hasEnded(message) || isFullyAnswered(message)
    ? SLOW_INTERVAL_MS
    : FAST_INTERVAL_MS;
}

/** Rejections are likely to repeat, so the next request comes late, or when the server asks. */
function getRetryDelay(error: unknown): number {
  if (!(error instanceof ApiError)) return SLOW_INTERVAL_MS;
  if (error.retryAfter) return error.retryAfter * 1000;
  return error.status >= 400 && error.status < 500 ? SLOW_INTERVAL_MS : FAST_INTERVAL_MS;
}
