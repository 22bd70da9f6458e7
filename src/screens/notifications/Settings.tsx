import { computed } from '@preact/signals-react';
import { useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { errorMessage } from '../../api/error';
import type { Subscription } from '../../shared/contract';
import {
  currentDevice,
  enableNotifications,
  unregisterIfUnneeded,
  registerIfAllowed,
  registrationError,
} from '../../state/device/registration';
import {
  isNotifyingAllowed,
  notificationPermission,
  isPushSupported,
} from '../../state/device/permission';
import {
  enabledCount,
  isTopicEnabled,
  toggleTopic,
  isAnyEnabled,
  SWITCH_FAILED,
} from '../../state/subscriptions/topic-switches';
import {
  loadTopics,
  topicsLoading,
  areTopicsShown,
  topicsShownAsOf,
  unreachableReason,
} from '../../state/subscriptions/load-topics';
import { ownRights } from '../../state/rights';
import { isAdmin } from '../../state/session';
import { savedTopics } from '../../state/subscriptions/cached-topics';
import { onReconnect } from '../../platform/network';
import { readStored } from '../../platform/storage/storage';
import { Day } from '../../ui/values/Day';
import { GradualRows } from '../../ui/lists/GradualRows';
import { Icon } from '../../ui/Icon';
import { lazy } from '../../ui/lazy';
import { notify } from '../../ui/notices';
import { Failure, Heading, Skeleton, useKeepFocus } from '../../ui/page';
import { rowsInView, useKeepScroll } from '../../ui/lists/keep-scroll';
import { CheckInHomeCard } from '../check-in/CheckInHomeCard';
import { ReachChipSlot } from '../device-test/ReachChipSlot';
import { NEW_MESSAGES_ID } from '../inbox/new-messages-id';

/** Loaded later: rarely needed, or by few. */
const AppManagement = lazy(() => import('./AppManagement').then((module) => module.AppManagement));
const importInbox = () => import('../inbox/NewMessages');
const NewMessages = lazy(() => importInbox().then((module) => module.NewMessages));
/** Loads the code of new messages, and shows the stored messages. The promise never rejects. */
export const preloadNewMessages = (): Promise<unknown> =>
  NewMessages.preload()
    .then(importInbox)
    .then(
      (module) => module.showKeptMessages(),
      () => {}, // the messages come later
    );
export const UseAnotherPhone = lazy(() =>
  import('../new-phone/UseAnotherPhone').then((module) => module.UseAnotherPhone),
);
const importCheckInCards = () => import('../check-in/CheckInCard');
const CheckInCard = lazy(
  () => importCheckInCards().then((module) => module.CheckInCard),
  <CheckInHomeCard />,
);
const UrgentCheckInCard = lazy(() =>
  importCheckInCards().then((module) => module.UrgentCheckInCard),
);
const RunningCheckInCard = lazy(() =>
  importCheckInCards().then((module) => module.RunningCheckInCard),
);
const OpenAlarms = lazy(() =>
  import('../check-ins/OpenAlarms').then((module) => module.OpenAlarms),
);
const OtherDevices = lazy(() => import('./OtherDevices').then((module) => module.OtherDevices));
const NoTopics = lazy(() => import('./NoTopics').then((module) => module.NoTopics));
const Silent = lazy(() => import('./CannotNotify').then((module) => module.CannotNotify));

const PERMISSION_LABELS = {
  granted: { tone: 'ok', name: 'granted' },
  denied: { tone: 'bad', name: 'denied' },
  default: { tone: 'warn', name: 'default' },
} as const;

/** A person's topics with switches, and what keeps this device from being notified. */
export function Settings() {
  // Reserve the last height: messages load after the topics and must not move them.
  const [storedHeight, setStoredHeight] = useState(() => readStored(NEW_MESSAGES_ID) ?? '');
  // A normal effect waits for a paint: on a slow phone topics would come 50 ms later.
  useLayoutEffect(() => {
    if (topicsLoading.peek().kind !== 'loading') void loadTopics(); // which the shell has begun, if this is where a session starts
    const stop = onReconnect(() => {
      void loadTopics();
      void registerIfAllowed();
    });
    return () => {
      stop();
      void unregisterIfUnneeded(isAnyEnabled.peek());
    };
  }, []);
  useEffect(() => void registerIfAllowed(), []); // runs in the background
  useKeepFocus(topicsLoading.value.kind, notificationPermission.value, registrationError.value);
  return (
    <>
      <div className="bar">
        <Heading>Topics & Notifications Settings</Heading>
        <span
          className="chip"
          data-tone={
            unreachableReason.value ? 'warn' : PERMISSION_LABELS[notificationPermission.value].tone
          }
        >
          Permission: {PERMISSION_LABELS[notificationPermission.value].name}
        </span>
      </div>
      {ownRights.value.includes('check-in') && <UrgentCheckInCard />}
      {ownRights.value.includes('watch') && <OpenAlarms />}
      {notificationPermission.value !== 'denied' && <ReachChipSlot name="reach" />}
      <DeviceNote />
      {ownRights.value.includes('check-in') && <RunningCheckInCard />}
      <div id={NEW_MESSAGES_ID} style={{ minHeight: storedHeight }}>
        {areTopicsShown.value && <NewMessages onKnown={() => setStoredHeight('')} />}
      </div>
      {ownRights.value.includes('check-in') && <CheckInCard />}
      <Topics />
      {!isAdmin.value && (
        <ul className="panel rows">
          <li>
            <UseAnotherPhone />
          </li>
        </ul>
      )}
      <Management />
    </>
  );
}

function Management() {
  const [opened, setOpened] = useState(false);
  return (
    <details className="panel" onToggle={() => setOpened(true)}>
      <summary>App Management</summary>
      {opened && <AppManagement />}
    </details>
  );
}

/** Why this device is not notified, and what to do. The status bar reports failures. */
function DeviceNote() {
  if (isNotifyingAllowed.value) return null;
  return isPushSupported.value && notificationPermission.value === 'default' ? (
    <EnableNote />
  ) : (
    <Silent />
  );
}

function EnableNote() {
  const [busy, setBusy] = useState(false);
  async function handleClick() {
    setBusy(true);
    try {
      await enableNotifications();
      if (currentDevice.value) notify('Notifications are on for this device.');
    } catch (thrown) {
      // A notice, because the page's own note changes when the person blocks notifications.
      notify((thrown as Error).message, 'bad');
    }
    setBusy(false);
  }
  return (
    <div className="note bar" data-tone="warn">
      <span>Notifications are off on this device.</span>
      <button
        type="button"
        aria-busy={busy || undefined}
        disabled={busy}
        onClick={() => void handleClick()}
      >
        Enable Notifications
      </button>
    </div>
  );
}

function Topics() {
  const state = topicsLoading.value;
  const list = savedTopics.value;
  // Content above the list scrolls the page itself.
  useKeepScroll(rowsInView('#topics > li'), () => document.getElementById('topics'));
  if (!areTopicsShown.value) return <Skeleton />;
  return (
    <section aria-labelledby="mine">
      {state.kind === 'failed' && !list.length && (
        <Failure retry={() => void loadTopics()}>{state.message}</Failure>
      )}
      <div className="bar">
        <h2 id="mine">Your subscribed topics ({list.length})</h2>
        <small role="status">
          {enabledCount.value} of {list.length} topics enabled
        </small>
      </div>
      {list.length > 0 ? (
        <ul id="topics" className="panel rows">
          <GradualRows rows={list} draw={drawTopic} />
        </ul>
      ) : (
        state.kind === 'ready' && <NoTopics />
      )}
      {currentDevice.value && list.length > 0 && <OtherDevices />}
    </section>
  );
}

const drawTopic = (row: Subscription) => <TopicRow key={row.id} row={row} />;

function TopicRow({ row: { id, createdAt, topic } }: { row: Subscription }) {
  // A separate signal: other switches do not render this row again.
  const enabled = useMemo(() => computed(() => isTopicEnabled(topic.id)), [topic.id]).value;
  const switchable = isNotifyingAllowed.value;
  const isOff = switchable && !enabled;
  const Box = switchable ? 'label' : 'div';
  const toggle = () =>
    toggleTopic(topic.id, !enabled).catch((thrown: unknown) => {
      notify(errorMessage(thrown, SWITCH_FAILED), 'bad');
    });
  return (
    <li>
      <Box className={isOff ? 'off' : undefined}>
        <span>
          <b id={`topic-${id}`}>
            <Icon name={isOff ? 'mute' : 'bell'} />
            <bdi>{topic.title}</bdi>
          </b>
          <span id={`about-${id}`}>
            <bdi>{topic.description}</bdi>
          </span>
          {isOff && <span>Muted. You’ll still find its messages in your inbox.</span>}
          <small>
            Subscribed <Day iso={createdAt} />
          </small>
        </span>
        {switchable ? (
          <span className="state">
            <input
              type="checkbox"
              // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says `checked` by itself
              role="switch"
              aria-labelledby={`topic-${id}`}
              aria-describedby={`about-${id}`}
              disabled={topicsShownAsOf.value !== null}
              checked={enabled}
              onChange={() => void toggle()}
            />
            <small aria-hidden="true">{enabled ? 'Enabled' : 'Disabled'}</small>
          </span>
        ) : (
          <span className="chip">Enable notifications first</span>
        )}
      </Box>
    </li>
  );
}
