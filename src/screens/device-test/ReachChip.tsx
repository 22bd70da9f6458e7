import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { readStored, writeStored } from '../../platform/storage/storage';
import {
  ownDevicesAsOf,
  followOwnDevices,
  areOwnDevicesFresh,
  ownDevices,
  showOwnDevices,
  thisDevice,
} from '../../state/device/own-devices';
import { notificationPermission } from '../../state/device/permission';
import { currentDevice, registrationError } from '../../state/device/registration';
import { toReachVerdict, type ReachVerdict } from '../../state/reach/reach-verdict';
import { remindIfTestDue, isTestDue } from '../../state/reach/weekly-reminder';
import { topicsShownAsOf, unreachableReason } from '../../state/subscriptions/load-topics';
import { Moment } from '../../ui/values/When';
import { delayText } from '../../ui/values/duration';
import { wouldHide } from '../../ui/lists/keep-scroll';
import { Icon } from '../../ui/Icon';
import { statusBarContent } from '../shell/StatusBar';
import { deviceWord } from './device-word';
import { useKeepFocus } from '../../ui/page';

interface Props {
  /** The storage key of the chip's height: `reach`, or `reach_brief` beside a heading. */
  name: string;
}

/** Whether this device is reachable, judged by what it displayed, with a link to test it. */
export function ReachChip({ name }: Props) {
  const granted = notificationPermission.value === 'granted';
  /** Before this, registration loads the same data. */
  const settled = currentDevice.value !== null || registrationError.value !== '';
  useEffect(() => {
    if (!granted) return;
    if (settled) return followOwnDevices();
    void showOwnDevices();
  }, [granted, settled]);
  const verdict = verdictHere();
  useEffect(() => {
    statusBarContent.value = <TestReminder />;
    const ownDevice = thisDevice.value;
    const isReachable = verdict && verdict.kind !== 'unreachable' && verdict.kind !== 'testing';
    if (isReachable && ownDevice && areOwnDevicesFresh())
      remindIfTestDue(ownDevice, ownDevicesAsOf.value);
  }, [thisDevice.value, verdict?.kind]);
  const ready = useStableHeight(name);
  // The server has no reach: reserve no room, now and next time. Offline, keep the room.
  const isHidden = verdict === null && ownDevices.value !== null && topicsShownAsOf.value === null;
  useEffect(() => {
    if (!isHidden) return;
    writeStored(name, '0px');
    document.querySelector<HTMLElement>('.reach')?.style.setProperty('min-height', '0px');
  }, [isHidden]);
  if (!verdict || !ready) return null;
  if (verdict.kind === 'unreachable') return <Unreachable verdict={verdict} />;
  return name === 'reach_brief' ? <Chip verdict={verdict} /> : <Card verdict={verdict} />;
}

/** Judges whether this device can be reached; null while unknown. */
function verdictHere(): ReachVerdict | null {
  if (notificationPermission.value !== 'granted') return { kind: 'unreachable', why: 'blocked' };
  if (unreachableReason.value) return { kind: 'unreachable', why: 'unregistered' };
  const reach = thisDevice.value?.reach;
  return reach ? toReachVerdict(reach, ownDevicesAsOf.value) : null;
}

type ReportedDevice = Exclude<ReachVerdict, { kind: 'unreachable' }>;

const VERDICT_TONES = { reachable: 'ok', late: 'warn' } as const;
const getTone = ({ kind }: ReportedDevice) =>
  kind === 'reachable' || kind === 'late' ? VERDICT_TONES[kind] : undefined;

/** The short form, beside a heading. */
function Chip({ verdict }: { verdict: ReportedDevice }) {
  const [text, evidence] = verdictText(verdict);
  return (
    <Link className="chip" data-tone={getTone(verdict)} href="/check">
      {text}
      {evidence && (
        <>
          {' '}
          · {evidence.by.charAt(0).toLowerCase() + evidence.by.slice(1)}
          <At iso={evidence.at} />
        </>
      )}
    </Link>
  );
}

function Card({ verdict }: { verdict: ReportedDevice }) {
  const [text, evidence] = verdictText(verdict);
  return (
    <div className="panel pad line">
      <span className="disc" data-tone={getTone(verdict)}>
        <Icon name="shield" />
      </span>
      <span>
        <b>{text}</b>
        {evidence && (
          <small>
            {' '}
            {evidence.by}
            <At iso={evidence.at} />
          </small>
        )}
      </span>{' '}
      <TestLink verdict={verdict} />
    </div>
  );
}

/** The verdict as text, with the test or message that it rests on. */
function verdictText(
  verdict: ReportedDevice,
): [text: string, evidence?: { by: string; at: string }] {
  switch (verdict.kind) {
    case 'untested':
      return [`This ${deviceWord()} hasn’t been tested yet`];
    case 'testing':
      return [`A test is on its way to this ${deviceWord()}`];
    case 'soundUnconfirmed':
      return ['Test arrived', { by: '', at: verdict.at }];
    default:
      return [
        verdict.kind === 'reachable'
          ? `This ${deviceWord()} is reachable`
          : verdict.lateBy === null
            ? 'Messages arrive late'
            : `Late by ${delayText(verdict.lateBy)}`,
        { by: verdict.by === 'test' ? 'Tested ' : 'Last message ', at: verdict.at },
      ];
  }
}

const TestLink = ({ verdict }: { verdict: ReportedDevice }) =>
  verdict.kind === 'soundUnconfirmed' ? (
    <Link className="alone" href={`/check?test=${encodeURIComponent(verdict.test)}`}>
      Did it ring?
    </Link>
  ) : (
    <Link
      className="alone"
      href="/check"
      aria-label={verdict.kind === 'untested' ? `Test this ${deviceWord()}` : 'Test again'}
    >
      Test
    </Link>
  );

function Unreachable({ verdict }: { verdict: Extract<ReachVerdict, { kind: 'unreachable' }> }) {
  return (
    <div className="note bar" data-tone="bad" role="status">
      <span>
        <b>
          {verdict.why === 'blocked'
            ? `This ${deviceWord()} isn’t reachable: blocked`
            : `This ${deviceWord()} isn’t reachable`}
        </b>
        <br />
        {renderReason(verdict)} Urgent messages won’t ring here.
      </span>
      <Link className="alone" href="/check">
        See what to do
      </Link>
    </div>
  );
}

function renderReason({
  why,
  at = '',
  count,
}: Extract<ReachVerdict, { kind: 'unreachable' }>): ReactNode {
  switch (why) {
    case 'blocked':
      return 'Your browser blocks notifications.';
    case 'unregistered':
      return `This ${deviceWord()} couldn’t be registered with the server.`;
    case 'rejected':
      return 'Your browser’s push service rejected the last message.';
    case 'silent':
      return `The last ${count} messages weren’t displayed.`;
    case 'test':
      return (
        <>
          The test from <At iso={at} /> didn’t arrive.
        </>
      );
    case 'mute':
      return (
        <>
          The test from <At iso={at} /> made no sound.
        </>
      );
  }
}

/** Accepts an invalid time. */
const At = ({ iso }: { iso: string }) => <Moment time={Date.parse(iso)} />;

/**
 * Stores the height for the next visit, and keeps what is below in place.
 * @returns whether the place has been rendered empty; only then is it filled
 */
function useStableHeight(name: string): boolean {
  const [ready, setReady] = useState(false);
  const container = useRef<HTMLElement | null>(null);
  const previousHeight = container.current?.offsetHeight; // before the page changes
  useEffect(() => setReady(true), []);
  useLayoutEffect(() => {
    container.current = document.querySelector<HTMLElement>('.reach');
    const content = container.current?.firstElementChild as HTMLElement | null | undefined;
    if (!container.current || !content || previousHeight === undefined) return;
    const movedBy = container.current.offsetHeight - previousHeight;
    if (movedBy && !wouldHide(movedBy)) scrollBy(0, movedBy);
    const height = `${content.offsetHeight}px`;
    if (readStored(name) !== height) writeStored(name, height);
  });
  return ready;
}

/** Asks at most once a week, if nothing was displayed here for long. */
function TestReminder() {
  useKeepFocus(isTestDue.value);
  if (!isTestDue.value) return null;
  const cleanUp = () => {
    isTestDue.value = false;
  };
  return (
    <div className="note bar" data-tone="warn" role="status">
      <span>
        This {deviceWord()} hasn’t displayed a notification for 7 days. Test whether it still works.
      </span>
      <Link className="alone" href="/check" onClick={cleanUp}>
        Test this {deviceWord()}
      </Link>
      <button
        type="button"
        className="quiet"
        aria-label="Not now: hide the test reminder"
        onClick={cleanUp}
      >
        Not now
      </button>
    </div>
  );
}
