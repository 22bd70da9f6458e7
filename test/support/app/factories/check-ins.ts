import type { CheckIn, CheckInPage, OwnCheckIns } from '../../../../src/shared/contract';

const MINUTE_MS = 60_000;

/** A check-in of an hour that started some minutes ago. */
export function createCheckIn(minutesAgo: number, change: Partial<CheckIn> = {}): CheckIn {
  const at = (minutes: number) =>
    new Date(Date.now() + (minutes - minutesAgo) * MINUTE_MS).toISOString();
  return {
    id: 1,
    minutes: 60,
    note: 'Pole 114',
    startedAt: at(0),
    askAt: at(55),
    dueAt: at(60),
    alarmAt: at(65),
    state: 'running',
    answers: 0,
    answeredAt: null,
    alarm: null,
    endedAt: null,
    person: { id: 7, username: 'm.okafor' },
    ...change,
  };
}

/** The first page of the board. */
export const createBoard = (checkIns: CheckIn[]): CheckInPage => ({
  ...{ checkIns, counts: { running: 0, due: 0, missed: 0, help: 0, ended: 0 } },
  ...{ total: checkIns.length, page: 1, limit: 25 },
});

export const createOwnCheckIns = (current: CheckIn | null = null): OwnCheckIns => ({
  enabled: true,
  alarmTo: 'Control room',
  current,
  earlier: [],
});
