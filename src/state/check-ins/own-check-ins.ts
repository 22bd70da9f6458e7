/** The person's check-in from the server, and presses that the server does not know yet. */
import { computed, effect } from '@preact/signals-react';
import { call } from '../../api/call';
import type { ApiError } from '../../api/error';
import { onReconnect, onReturn } from '../../platform/network';
import { isSoonAfter } from '../../platform/second-tap';
import { readOfflineData, updateOfflineData } from '../../platform/storage/database';
import { runOneAtATime } from '../../platform/storage/receipt-queue';
import { readDeviceOwner, readReceived } from '../../platform/storage/received';
import { readStored, writeStored } from '../../platform/storage/storage';
import { repeatWhileVisible } from '../../platform/visibility';
import { onWorkerMessage } from '../../platform/worker';
import { CHECK_IN_PAGE, closeReminders } from '../../shared/check-in-page';
import type { CheckIn, OwnCheckIns } from '../../shared/contract';
import {
  checkInSchema,
  ownCheckInsSchema as ownCheckInsExample,
} from '../../shared/contract/check-ins' with { type: 'example' };
import { serverNow } from '../clock';
import { latestOnly } from '../latest-only';
import { personalSignal } from '../personal-signal';
import { sendReceipts } from '../after-first-screen';
import {
  isSignedIn,
  PRESSES_STORAGE_KEY,
  sessionClaims,
  signedOutOnPurpose,
  signInError,
} from '../session';

const CHECK_IN_FAILED = 'Failed to load your check-in.';
export const CHECK_IN_START_FAILED = 'Failed to start the check-in.';
export const CHECK_IN_END_FAILED = 'Failed to end the check-in.';
export const PRESS_FAILED = 'Failed to send your answer.';
const HELP_UNSENT = '“I need help” hasn’t been sent. Sign in, or call someone.';
const OK_UNSENT = '“I’m OK” hasn’t been sent. Sign in to send it.';
const HELP_UNCOUNTED = '“I need help” wasn’t counted. Sign in, or call someone.';
const HELP_SENT = '“I need help” was sent. Sign in to continue.';

export interface Press {
  kind: 'ok' | 'help';
  /** The time of the press, in ISO 8601. It is server time if the server's clock is known. */
  at: string;
  /** A call for help that the server did not count, because it has a later answer. */
  isUncounted?: true;
}
export interface UnsentPress extends Press {
  checkInId: number;
  /** The check-in's new length. */
  minutes?: number;
}
/** The device stores the check-ins for use offline. */
interface StoredCheckIns {
  person: number;
  own: OwnCheckIns;
  unsent: readonly UnsentPress[];
}
const CHECK_INS_OFFLINE_KEY = 'check_in';

type KeptPress = UnsentPress & { person: number };

function readKeptPresses(person?: number): readonly KeptPress[] {
  try {
    const presses = JSON.parse(readStored(PRESSES_STORAGE_KEY) ?? '[]') as KeptPress[];
    return presses.filter((press) => person === undefined || press.person === person);
  } catch {
    return [];
  }
}

/** @param isWaiting whether the sign-in page has to look for unsent presses */
const keepPresses = (presses: readonly KeptPress[], isWaiting = presses.length > 0) =>
  writeStored(PRESSES_STORAGE_KEY, isWaiting ? JSON.stringify(presses) : null);

/** The value is null until the check-ins are loaded. */
export const ownCheckIns = personalSignal<OwnCheckIns | null>(null);
/** The oldest press comes first. */
export const unsentPresses = personalSignal<readonly UnsentPress[]>([]);
/** Answers to reminders that wait on this device, in the queue of the worker. */
const reminderPresses = personalSignal<readonly Press[]>([]);
/** The press that the screens show as unsent: a call for help, otherwise the oldest. */
export const unsentPress = computed(() =>
  pickPress<Press>([...unsentPresses.value, ...reminderPresses.value]),
);
/** An “I’m OK” after a call for help, both unsent: it is sent after the call. */
export const unsentOkAfterHelp = computed(() =>
  unsentPress.value?.kind === 'help'
    ? unsentPresses.value
        .filter(({ kind, at }) => kind === 'ok' && at > (unsentPress.value?.at ?? ''))
        .at(-1)
    : undefined,
);
/** The person can press again. */
export const uncountedHelp = personalSignal<UnsentPress | null>(null);
/** The press that the server recorded last, until the screen shows that. */
export const recordedPress = personalSignal<UnsentPress | null>(null);
/** Why the latest request for check-ins failed. */
export const checkInFailure = personalSignal('');

/** When the person last pressed each answer, in milliseconds since the page was opened. */
const pressTimes = personalSignal<ReadonlyMap<string, number>>(new Map());

const startRequest = latestOnly();

/** Presses that were sent or given up: another window may still store them. */
const settledKeys = new Set<string>();
const getPressKey = ({ checkInId, kind, at }: UnsentPress): string => [checkInId, kind, at].join();
/** When a press of this page happened, by a clock that cannot be set: wall clocks may be wrong. */
const pagePressTimes = new Map<string, number>();

/** Storing also adopts presses of another window, because that window may be closed. */
async function storeCheckIns(): Promise<void> {
  const person = sessionClaims.peek()?.id;
  const checkIns = ownCheckIns.peek();
  if (person === undefined || checkIns === null) return;
  await updateOfflineData<StoredCheckIns>(CHECK_INS_OFFLINE_KEY, (stored) => {
    if (sessionClaims.peek()?.id !== person) return stored ?? { person, own: checkIns, unsent: [] };
    const ownPresses = unsentPresses.peek();
    const doneKeys = new Set([...settledKeys, ...ownPresses.map(getPressKey)]);
    const otherWindowPresses = stored?.person === person ? stored.unsent : [];
    const unsent = [
      ...otherWindowPresses.filter((candidate) => !doneKeys.has(getPressKey(candidate))),
      ...ownPresses,
    ];
    if (unsent.length > ownPresses.length) {
      unsentPresses.value = unsent;
      void sendPresses();
    }
    return { person, own: checkIns, unsent };
  });
}

function settlePress(press: UnsentPress): void {
  const key = getPressKey(press);
  settledKeys.add(key);
  const isOther = (candidate: UnsentPress) => getPressKey(candidate) !== key;
  unsentPresses.value = unsentPresses.peek().filter(isOther);
  keepPresses(readKeptPresses().filter(isOther));
}

/** A call for help goes first, otherwise the oldest press. */
const pickPress = <P extends Press>(presses: readonly P[]): P | undefined =>
  presses.find(({ kind }) => kind === 'help') ?? presses[0];

const readOwnCheckIns = (limit?: number): Promise<OwnCheckIns> =>
  call('GET /api/check-ins', {
    fallback: CHECK_IN_FAILED,
    like: ownCheckInsExample,
    ...(limit && { limit }),
  });

function showCheckIns(loadedCheckIns: OwnCheckIns): void {
  ownCheckIns.value = loadedCheckIns;
  checkInFailure.value = '';
  if (loadedCheckIns.current?.state === 'help') uncountedHelp.value = null;
  // It was ended elsewhere.
  if (loadedCheckIns.current === null) closeRemindersHere();
  void storeCheckIns();
}

const closeRemindersHere = () =>
  void navigator.serviceWorker?.getRegistration('/').then(closeReminders, () => {});

/** Loads the check-ins, or shows the stored ones offline. The promise never rejects. */
export async function loadCheckIns(): Promise<void> {
  const isLatest = startRequest();
  await showStoredCheckIns();
  if (sessionClaims.peek() === null) return;
  void sendReminderPresses();
  try {
    const loadedCheckIns = await readOwnCheckIns();
    if (isLatest()) showCheckIns(loadedCheckIns);
  } catch (error) {
    if (isLatest()) checkInFailure.value = (error as ApiError).message;
  }
}

/** Signing out waits at most this long for the check. */
const SIGN_OUT_CHECK_TIMEOUT_MS = 3000;

/** Whether a check-in runs, as far as this device knows. The promise never rejects. */
export async function isCheckInRunning(): Promise<boolean> {
  try {
    const loadedCheckIns = await readOwnCheckIns(SIGN_OUT_CHECK_TIMEOUT_MS);
    startRequest(); // discards responses to earlier requests: they may predate this response
    showCheckIns(loadedCheckIns);
  } catch {
    await showStoredCheckIns();
  }
  return Boolean(ownCheckIns.peek()?.current);
}

async function showStoredCheckIns(): Promise<void> {
  const person = sessionClaims.peek()?.id;
  if (person === undefined || ownCheckIns.peek() !== null) return;
  const found = await readOfflineData<StoredCheckIns>(CHECK_INS_OFFLINE_KEY);
  if (sessionClaims.peek()?.id !== person || ownCheckIns.peek()) return;
  const stored = found?.person === person ? found : undefined;
  const waiting = [...(stored?.unsent ?? []), ...readKeptPresses(person)];
  const byKey = new Map(waiting.map((press) => [getPressKey(press), press]));
  for (const key of settledKeys) byKey.delete(key);
  unsentPresses.value = [...byKey.values()];
  ownCheckIns.value = stored?.own ?? null;
}

/** Answers to reminders that wait in the worker's queue. It also has receipts of other messages. */
async function readReminderPresses(person?: number): Promise<Press[]> {
  const { messages, receipts } = await readReceived(person);
  return receipts.flatMap(({ messageId, answer, at = '' }) => {
    const reminder = messages.find(({ id, link }) => id === messageId && link === CHECK_IN_PAGE);
    if (answer === undefined || reminder === undefined) return [];
    return [{ kind: reminder.answers.indexOf(answer) === 0 ? 'ok' : 'help', at } as const];
  });
}

/** Shows and sends the answers. */
async function sendReminderPresses(): Promise<void> {
  const person = sessionClaims.peek()?.id;
  if (person === undefined) return;
  const presses = await readReminderPresses(person);
  if (sessionClaims.peek()?.id !== person) return;
  reminderPresses.value = presses;
  if (reminderPresses.peek().length > 0 && (await sendReceipts())) await loadCheckIns();
}

function applyCheckIn(current: CheckIn): void {
  startRequest(); // discards responses to earlier requests: they may predate this change
  const checkIns = ownCheckIns.peek();
  if (checkIns)
    ownCheckIns.value = { ...checkIns, current: current.state === 'ended' ? null : current };
  void storeCheckIns();
}

/** @throws {ApiError} */
export async function startCheckIn(minutes: number, note: string): Promise<void> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const body = { minutes, note, ...(timeZone && { timeZone }) };
  applyCheckIn(
    await call('POST /api/check-ins', {
      body,
      fallback: CHECK_IN_START_FAILED,
      like: checkInSchema,
    }),
  );
}

/** @throws {ApiError} */
export async function endCheckIn(id: number): Promise<void> {
  const at = new Date(serverNow()).toISOString();
  const options = { params: { id }, fallback: CHECK_IN_END_FAILED, like: checkInSchema };
  applyCheckIn(await call('POST /api/check-ins/:id/end', { ...options, body: { at, sentAt: at } }));
  await loadCheckIns();
}

/** A double tap counts once. A different answer always counts. */
function isDoubleTap(answer: string): boolean {
  if (isSoonAfter(pressTimes.peek().get(answer) ?? -Infinity)) return true;
  pressTimes.value = new Map(pressTimes.peek()).set(answer, performance.now());
  return false;
}

/**
 * Answers the check-in. The answer waits on this device until there is a connection.
 * @returns why the server rejected it, or an empty text
 */
export function pressCheckIn(kind: UnsentPress['kind'], minutes?: number): Promise<string> {
  // Help opens an ended check-in again.
  const checkInId = ownCheckIns.peek()?.current?.id ?? uncountedHelp.peek()?.checkInId;
  const person = sessionClaims.peek()?.id;
  if (checkInId === undefined || person === undefined || isDoubleTap([kind, minutes].join()))
    return Promise.resolve('');
  const at = new Date(serverNow()).toISOString();
  // A call for help replaces an earlier “I’m OK”, which must not arrive after the call.
  if (kind === 'help')
    for (const press of unsentPresses.peek()) if (press.checkInId === checkInId) settlePress(press);
  const newPress = { checkInId, kind, at, ...(minutes && { minutes }) };
  pagePressTimes.set(getPressKey(newPress), performance.now());
  uncountedHelp.value = null;
  unsentPresses.value = [...unsentPresses.peek(), newPress];
  keepPresses([...readKeptPresses(), { person, ...newPress }]);
  void storeCheckIns();
  return sendPresses();
}

const MAX_RETRY_DELAY_MS = 10_000;
const FIRST_RETRY_DELAY_MS = 1000;
let retryDelay = FIRST_RETRY_DELAY_MS;
/** The limit is short, because a press for help may wait behind another press. */
const PRESS_TIMEOUT_MS = 5000;
let retryTimer: ReturnType<typeof setTimeout> | undefined;

/**
 * Sends all unsent presses, help first, and retries until they are sent. The promise never rejects.
 */
export const sendPresses = runOneAtATime(async () => {
  clearTimeout(retryTimer);
  const rejection = await sendUnsentPresses();
  if (unsentPresses.peek().length > 0) {
    retryTimer = setTimeout(() => void sendPresses(), retryDelay);
    retryDelay = Math.min(retryDelay * 2, MAX_RETRY_DELAY_MS);
  } else retryDelay = FIRST_RETRY_DELAY_MS;
  return rejection;
});

async function sendUnsentPresses(): Promise<string> {
  let rejection = '';
  for (;;) {
    const press = pickPress(unsentPresses.peek());
    if (press === undefined) return rejection;
    try {
      const checkIn = await sendPress(press);
      applyCheckIn(checkIn);
      if (isCounted(press, checkIn)) recordedPress.value = press;
      else uncountedHelp.value = { ...press, isUncounted: true };
      closeRemindersHere();
    } catch (error) {
      if (!isFinal(error as ApiError)) return rejection;
      rejection = (error as ApiError).message;
      void loadCheckIns();
    }
    settlePress(press);
    void storeCheckIns();
  }
}

const isCounted = ({ kind }: Press, { state }: CheckIn): boolean =>
  kind === 'ok' || state === 'help';

/** A press is given up only if the server can never accept it. */
const isFinal = ({ code, status }: ApiError): boolean =>
  code === 'rejected' && [400, 404, 409].includes(status);

/** Without a session, the device's key sends the presses of its person. */
const sendWithDeviceKey = runOneAtATime(async () => {
  if (isSignedIn.peek()) return;
  clearTimeout(retryTimer);
  const owner = await readDeviceOwner();
  for (;;) {
    if (isSignedIn.peek() || signedOutOnPurpose.peek()) return;
    const press = owner && pickPress(readKeptPresses(owner.person));
    if (!press) break;
    let isHelpCounted = false;
    try {
      const checkIn = await sendPress(press, { Authorization: `Bearer ${owner.key}` });
      isHelpCounted = isCounted(press, checkIn);
    } catch (error) {
      if (!isFinal(error as ApiError)) {
        // A refused device will not be accepted later: its person has to sign in.
        if ((error as ApiError).status !== 401)
          retryTimer = setTimeout(() => void sendWithDeviceKey(), MAX_RETRY_DELAY_MS);
        break;
      }
    }
    if (press.kind === 'help') signInError.value = isHelpCounted ? HELP_SENT : HELP_UNCOUNTED;
    settlePress(press);
  }
  const workerPresses = await readReminderPresses();
  if (isSignedIn.peek() || signedOutOnPurpose.peek()) return;
  const keptPresses = readKeptPresses();
  const waitingPress = pickPress(
    [...keptPresses, ...workerPresses].filter(
      ({ at }) => serverNow() - Date.parse(at) < LONGEST_CHECK_IN_MS,
    ),
  );
  keepPresses(keptPresses, keptPresses.length > 0 || !!waitingPress);
  const shownText = signInError.peek();
  if (waitingPress?.kind === 'help') signInError.value = HELP_UNSENT;
  // Whether help was called matters more than an “I’m OK”.
  else if ([HELP_SENT, HELP_UNCOUNTED].includes(shownText)) return;
  else if (waitingPress) signInError.value = OK_UNSENT;
  // The worker has sent it.
  else if ([HELP_UNSENT, OK_UNSENT].includes(shownText)) signInError.value = '';
});
/** The sign-in page does not mention older presses. */
const LONGEST_CHECK_IN_MS = 12 * 3600_000;

let lastPerson: number | undefined;
effect(() => {
  const person = sessionClaims.value?.id;
  if (person !== undefined) lastPerson = person;
  else if (!signedOutOnPurpose.value) void sendWithDeviceKey();
  else keepPresses(readKeptPresses().filter((press) => press.person !== lastPerson));
});
onReconnect(() => void (isSignedIn.peek() || sendWithDeviceKey()));

function sendPress(press: UnsentPress, headers: Record<string, string> = {}): Promise<CheckIn> {
  const { checkInId: id, kind, at, minutes } = press;
  const pressedAt = pagePressTimes.get(getPressKey(press));
  const body = {
    at,
    sentAt: new Date(serverNow()).toISOString(),
    ...(pressedAt !== undefined && { age: performance.now() - pressedAt }),
  };
  const options = {
    params: { id },
    fallback: PRESS_FAILED,
    like: checkInSchema,
    limit: PRESS_TIMEOUT_MS,
    headers,
  };
  return kind === 'help'
    ? call('POST /api/check-ins/:id/help', { ...options, body })
    : call('POST /api/check-ins/:id/ok', {
        ...options,
        body: { ...body, ...(minutes !== undefined && { minutes }) },
      });
}

/** Sends presses that an earlier page could not send. */
export async function sendKeptPresses(): Promise<void> {
  await showStoredCheckIns();
  await sendPresses();
}

/** Whether someone is known to have got the alarm. An older server does not count displays. */
export const hasAlerted = ({
  displayed,
  answered,
  people,
}: NonNullable<CheckIn['alarm']>): boolean => Math.max(displayed ?? people, answered) > 0;

const TICK_MS = 1000;
const URGENT_RELOAD_TICKS = 5;
/** Nothing is urgent while there is time. */
const CALM_RELOAD_TICKS = 15;
/** The first displays of an alarm take seconds, for which its person waits. */
const MAX_ALERTING_TICKS = 60;

/** Whether others are being alerted, and none of them is known to have got the alarm. */
function isAlerting(): boolean {
  const { alarm, state } = ownCheckIns.peek()?.current ?? {};
  return (
    (state === 'help' || state === 'missed') && !(alarm && (alarm.allClearAt || hasAlerted(alarm)))
  );
}

/** Whether the person has to answer, or waits for help: others may change that at any time. */
function isUrgent(): boolean {
  const current = ownCheckIns.peek()?.current;
  return Boolean(
    current && (current.state !== 'running' || Date.parse(current.askAt) <= serverNow()),
  );
}

let followerCount = 0;
let stopFollowing: () => void;

/** Reloads the check-ins until the returned function is called. Callers share one timer. */
export function followCheckIns(): () => void {
  if (followerCount++ === 0) stopFollowing = startFollowing();
  return () => {
    if (--followerCount === 0) stopFollowing();
  };
}

function startFollowing(): () => void {
  const reload = () => void loadCheckIns();
  void sendKeptPresses().then(loadCheckIns);
  let tick = 0;
  let alertingTicks = 0;
  const stops = [
    repeatWhileVisible(TICK_MS, () => {
      alertingTicks = isAlerting() ? alertingTicks + 1 : 0;
      const isAwaited = alertingTicks > 0 && alertingTicks <= MAX_ALERTING_TICKS;
      if (++tick % (isUrgent() ? URGENT_RELOAD_TICKS : CALM_RELOAD_TICKS) === 0 || isAwaited)
        reload();
    }),
    onReturn(reload),
    onReconnect(() => void sendPresses().then(loadCheckIns)),
    // The worker showed a reminder, or someone pressed its answer.
    onWorkerMessage(({ type }) => {
      if (type === 'shown' || type === 'pressed') reload();
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
