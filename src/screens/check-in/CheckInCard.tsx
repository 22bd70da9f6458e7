import { useEffect, useLayoutEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { onReturn } from '../../platform/network';
import { plural } from '../../platform/plural';
import {
  type Press,
  followCheckIns,
  hasAlerted,
  loadCheckIns,
  ownCheckIns,
  sendKeptPresses,
} from '../../state/check-ins/own-check-ins';
import { Icon } from '../../ui/Icon';
import { CheckInHomeCard } from './CheckInHomeCard';
import { useLatePress } from './use-late-press';
import { useCurrentTime } from './use-current-time';
import { canNotifyNoOne, reachesNoOne } from './UndeliverableAlarm';
import type { CheckIn } from '../../shared/contract';
import {
  checkInTimeWithSeconds,
  isHelpCalled,
  mayHaveAlerted,
  minutesLeft,
  getCheckInPhase,
  overdueText,
  unsentTitle,
} from './check-in-texts';
import { timeOfDay } from '../../ui/values/When';

/** On the home screen, below the messages: a way to start a check-in. Nothing during one. */
export function CheckInCard() {
  useEffect(followCheckIns, []);
  return useCurrentCheckIn().current ? null : <CheckInHomeCard />;
}

/** Above the messages: how much time is left. Nothing otherwise. */
export function RunningCheckInCard() {
  const { current, phase, time } = useCurrentCheckIn();
  if (!current || phase !== 'running') return null;
  const remainingMinutes = minutesLeft(current, time);
  return (
    <CheckInHomeCard
      title={plural(remainingMinutes, {
        one: '1 minute left',
        other: `${remainingMinutes} minutes left`,
      })}
      text={`Check-in due at ${timeOfDay(current.dueAt)}.`}
      action="Open"
    />
  );
}

/**
 * Above everything else on the home screen: a check-in that waits for its person. Nothing
 * otherwise.
 */
export function UrgentCheckInCard() {
  const { texts, press, current, phase } = useUrgentTexts();
  const container = useRef<HTMLDivElement>(null);
  // Messages above the card may have scrolled the page.
  useLayoutEffect(
    () => container.current?.scrollIntoView({ block: 'nearest' }),
    [phase, press?.at],
  );
  if (!texts) return null;
  const { tone, title, text } = texts;
  return (
    <div ref={container} className="note line" data-tone={tone} data-keep-in-view="" role="alert">
      <span>
        <b>{title}</b>
        <small>{text}</small>
      </span>
      <Link className="alone" href="/check-in">
        {press || (current && isHelpCalled(current)) ? 'Open' : 'Answer'}
      </Link>
    </div>
  );
}

const HOME_PATHS = ['/', '/subscriptions'];

/**
 * Above the bottom bar: the check-in that runs or waits. Nothing otherwise, or on the home screen,
 * whose cards say the same.
 */
export function CheckInBar() {
  const { texts, current, time } = useUrgentTexts();
  const [path] = useLocation();
  const isRunning = Boolean(current);
  useEffect(() => {
    if (isRunning) return followCheckIns();
    void sendKeptPresses().then(loadCheckIns);
    return onReturn(() => void loadCheckIns());
  }, [isRunning]);
  if ((!texts && !current) || HOME_PATHS.includes(path)) return null;
  return (
    <section aria-label="Your check-in">
      <Link
        className={texts?.tone === 'bad' ? 'strip chip solid' : 'strip chip'}
        data-tone={texts?.tone}
        href="/check-in"
      >
        {!texts && <Icon name="clock" />}
        {texts
          ? texts.title
          : current && `Check-in · ${minutesLeft(current, time).toLocaleString()} min left`}
      </Link>
    </section>
  );
}

/** What the person must know or answer now; no texts while there is time. */
function useUrgentTexts() {
  const { current, phase, time } = useCurrentCheckIn();
  const press = useLatePress();
  const texts = press
    ? unsentTexts(press)
    : !current || phase === 'running'
      ? null
      : phase === 'due'
        ? dueTexts(current, time)
        : alarmTexts(current);
  return { texts, press, current, phase, time };
}

function useCurrentCheckIn() {
  const time = useCurrentTime(10_000);
  const current = ownCheckIns.value?.current;
  return { current, phase: current && getCheckInPhase(current, time), time };
}

interface Texts {
  tone: string;
  title: string;
  text: string;
}

const unsentTexts = (press: Press): Texts => ({
  tone: 'bad',
  title: unsentTitle(press),
  text:
    press.kind === 'ok'
      ? 'Keep the app open. We’ll keep trying until it’s sent.'
      : press.isUncounted
        ? 'If you still need help, press it again.'
        : 'Call for help in another way, too.',
});

const dueTexts = (checkIn: CheckIn, time: number): Texts => ({
  tone: 'bad',
  title: 'Are you OK?',
  text: mayHaveAlerted(checkIn, time)
    ? overdueText(checkIn)
    : canNotifyNoOne()
      ? `Answer by ${checkInTimeWithSeconds(checkIn.alarmAt)}. We can’t alert others right now.`
      : `Answer by ${checkInTimeWithSeconds(checkIn.alarmAt)}, or we’ll alert others.`,
});

const alarmTexts = ({ alarm }: CheckIn): Texts =>
  alarm?.allClearAt
    ? {
        tone: 'warn',
        title: 'Your check-in isn’t over',
        text: 'Someone gave the all-clear. Tell us that you’re OK, or end the check-in.',
      }
    : { tone: 'bad', title: alarmTitle(alarm), text: 'If you’re OK, send the all-clear.' };

function alarmTitle(alarm: CheckIn['alarm']): string {
  if (reachesNoOne(alarm)) return 'We can’t notify anyone';
  return alarm && hasAlerted(alarm) ? 'We’ve alerted others' : 'We’re alerting others';
}
