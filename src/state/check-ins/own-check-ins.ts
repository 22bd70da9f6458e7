/** The person's check-in: as the server has it, and what they pressed that it does not know yet. */
import { call } from '../../api/call';
import type { ApiError } from '../../api/error';
import { onReconnect, onReturn } from '../../platform/network';
import { readOfflineData, updateOfflineData } from '../../platform/storage/database';
import { runOneAtATime } from '../../platform/storage/receipt-queue';
import { repeatWhileVisible } from '../../platform/visibility';
import { onWorkerMessage } from '../../platform/worker';
import { closeReminders } from '../../shared/check-in-page';
import type { CheckIn, OwnCheckIns } from '../../shared/contract';
import { checkIn, ownCheckIns as example } from '../../shared/contract/check-ins' with {
  type: 'example',
};
import { serverNow } from '../clock';
import { latestOnly } from '../latest-only';
import { personalSignal } from '../personal-signal';
import { claims } from '../session';

const LOAD_FAILED = 'Failed to load your check-in.';
export const CHECK_IN_START_FAILED = 'Failed to start the check-in.';
export const CHECK_IN_END_FAILED = 'Failed to end the check-in.';
export const PRESS_FAILED = 'Failed to send your answer.';

export interface UnsentPress {
  checkInId: number;
  kind: 'ok' | 'help';
  /** When it was pressed. ISO 8601, by the server's clock as far as it is known. */
  at: string;
  /** The new length. */
  minutes?: number;
}
/** Kept on the device for use offline. */
interface Known {
  person: number;
  own: OwnCheckIns;
  unsent: readonly UnsentPress[];
}
const CHECK_INS_OFFLINE_KEY = 'check_in';

/** Null until loaded. */
export const ownCheckIns = personalSignal<OwnCheckIns | null>(null);
/** Oldest first. */
export const unsentPresses = personalSignal<readonly UnsentPress[]>([]);
/** What the server recorded last, until the screen says so. */
export const recordedPress = personalSignal<UnsentPress | null>(null);
/** Why the latest request for it failed. */
export const checkInFailure = personalSignal('');

const ask = latestOnly();

/** Presses that were sent or given up, as another window may still store them. */
const settledKeys = new Set<string>();
const keyOf = ({ checkInId, kind, at }: UnsentPress): string => [checkInId, kind, at].join();

/** Also takes over what another window could not send, as that window may be closed. */
async function keep(): Promise<void> {
  const person = claims.peek()?.id;
  const checkIns = ownCheckIns.peek();
  if (person === undefined || checkIns === null) return;
  await updateOfflineData<Known>(CHECK_INS_OFFLINE_KEY, (stored) => {
    if (claims.peek()?.id !== person) return stored ?? { person, own: checkIns, unsent: [] };
    const mine = unsentPresses.peek();
    const doneKeys = new Set([...settledKeys, ...mine.map(keyOf)]);
    const others = stored?.person === person ? stored.unsent : [];
    const unsent = [...others.filter((one) => !doneKeys.has(keyOf(one))), ...mine];
    if (unsent.length > mine.length) {
      unsentPresses.value = unsent;
      void sendPresses();
    }
    return { person, own: checkIns, unsent };
  });
}

function settle(press: UnsentPress): void {
  settledKeys.add(keyOf(press));
  unsentPresses.value = unsentPresses.peek().filter((one) => one !== press);
}

const read = (limit?: number): Promise<OwnCheckIns> =>
  call('GET /api/check-ins', { fallback: LOAD_FAILED, like: example, ...(limit && { limit }) });

function show(loadedCheckIns: OwnCheckIns): void {
  ownCheckIns.value = loadedCheckIns;
  checkInFailure.value = '';
  void keep();
}

/** Offline, the kept one is shown. Never rejects. */
export async function loadCheckIns(): Promise<void> {
  const isLatest = ask();
  await showKept();
  if (claims.peek() === null) return;
  try {
    const loadedCheckIns = await read();
    if (isLatest()) show(loadedCheckIns);
  } catch (error) {
    if (isLatest()) checkInFailure.value = (error as ApiError).message;
  }
}

/** Signing out waits for it. */
const ASK_LIMIT_MS = 3000;

/** Whether one runs, as far as this device knows. Never rejects. */
export async function isCheckInRunning(): Promise<boolean> {
  try {
    const loadedCheckIns = await read(ASK_LIMIT_MS);
    ask(); // what was asked before may be as it was then
    show(loadedCheckIns);
  } catch {
    await showKept();
  }
  return Boolean(ownCheckIns.peek()?.current);
}

async function showKept(): Promise<void> {
  const person = claims.peek()?.id;
  if (ownCheckIns.peek() !== null) return;
  const stored = await readOfflineData<Known>(CHECK_INS_OFFLINE_KEY);
  if (stored?.person !== person || claims.peek()?.id !== person || ownCheckIns.peek()) return;
  unsentPresses.value = stored?.unsent ?? [];
  ownCheckIns.value = stored?.own ?? null;
}

function take(current: CheckIn): void {
  ask(); // what was asked before may be as it was then
  const checkIns = ownCheckIns.peek();
  if (checkIns)
    ownCheckIns.value = { ...checkIns, current: current.state === 'ended' ? null : current };
  void keep();
}

/** @throws {ApiError} */
export async function startCheckIn(minutes: number, note: string): Promise<void> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const body = { minutes, note, ...(timeZone && { timeZone }) };
  take(await call('POST /api/check-ins', { body, fallback: CHECK_IN_START_FAILED, like: checkIn }));
}

/** @throws {ApiError} */
export async function endCheckIn(id: number): Promise<void> {
  const at = new Date(serverNow()).toISOString();
  const options = { params: { id }, fallback: CHECK_IN_END_FAILED, like: checkIn };
  take(await call('POST /api/check-ins/:id/end', { ...options, body: { at, sentAt: at } }));
  await loadCheckIns();
}

/**
 * Answers. Without a connection the answer waits on this device.
 * @returns why the server rejected it, or an empty text
 */
export function pressCheckIn(kind: UnsentPress['kind'], minutes?: number): Promise<string> {
  const checkInId = ownCheckIns.peek()?.current?.id;
  if (checkInId === undefined) return Promise.resolve('');
  const at = new Date(serverNow()).toISOString();
  // An “I’m OK” before a call for help counts no more, and must not arrive after it.
  if (kind === 'help')
    for (const press of unsentPresses.peek()) if (press.checkInId === checkInId) settle(press);
  unsentPresses.value = [
    ...unsentPresses.peek(),
    { checkInId, kind, at, ...(minutes && { minutes }) },
  ];
  void keep();
  return sendPresses();
}

const AGAIN_MS = 10_000;
/** Short, because a press for help may wait behind it. */
const PRESS_LIMIT_MS = 5000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Sends all that wait, help first, and tries again until they are sent. Never rejects. */
export const sendPresses = runOneAtATime(async () => {
  clearTimeout(timer);
  const why = await sendAll();
  if (unsentPresses.peek().length > 0) timer = setTimeout(() => void sendPresses(), AGAIN_MS);
  return why;
});

async function sendAll(): Promise<string> {
  let why = '';
  for (;;) {
    const waiting = unsentPresses.peek();
    const press = waiting.find(({ kind }) => kind === 'help') ?? waiting[0];
    if (press === undefined) return why;
    try {
      take(await send(press));
      recordedPress.value = press;
      void navigator.serviceWorker?.getRegistration('/').then(closeReminders, () => {});
    } catch (error) {
      const { code, status, message } = error as ApiError;
      // Only an answer that can never count is given up.
      if (code !== 'rejected' || ![400, 404, 409].includes(status)) return why;
      why = message;
      void loadCheckIns();
    }
    settle(press);
    void keep();
  }
}

function send({ checkInId: id, kind, at, minutes }: UnsentPress): Promise<CheckIn> {
  const body = { at, sentAt: new Date(serverNow()).toISOString() };
  const options = { params: { id }, fallback: PRESS_FAILED, like: checkIn, limit: PRESS_LIMIT_MS };
  return kind === 'help'
    ? call('POST /api/check-ins/:id/help', { ...options, body })
    : call('POST /api/check-ins/:id/ok', {
        ...options,
        body: { ...body, ...(minutes !== undefined && { minutes }) },
      });
}

/** Answers that an earlier page could not send. */
export async function sendKeptPresses(): Promise<void> {
  await showKept();
  await sendPresses();
}

const FOLLOW_MS = 15_000;

/** Keeps it fresh until the returned function is called. */
export function followCheckIns(): () => void {
  const look = () => void loadCheckIns();
  const stops = [
    repeatWhileVisible(FOLLOW_MS, look),
    onReturn(look),
    onReconnect(() => void sendPresses().then(loadCheckIns)),
    // The reminder, or an answer on it.
    onWorkerMessage(({ type }) => {
      if (type === 'shown' || type === 'pressed') look();
    }),
  ];
  void sendKeptPresses().then(loadCheckIns);
  return () => stops.forEach((stop) => stop());
}
