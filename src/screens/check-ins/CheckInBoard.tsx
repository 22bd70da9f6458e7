import { useEffect } from 'react';
import { Link } from 'wouter';
import { plural } from '../../platform/plural';
import { repeatWhileVisible } from '../../platform/visibility';
import type { CheckIn, CheckInState } from '../../shared/contract';
import {
  areCheckInsOn,
  CHECK_INS_FAILED,
  readCheckIns,
  type CheckInBoard,
} from '../../state/check-ins/check-in-board';
import { serverNow } from '../../state/clock';
import { isAdmin } from '../../state/session';
import { EmptyList } from '../../ui/EmptyList';
import { Icon, type IconName } from '../../ui/Icon';
import { lazy } from '../../ui/lazy';
import { Search } from '../../ui/lists/Search';
import { Heading } from '../../ui/page';
import { formatWithSeconds, parseTime } from '../../ui/values/Day';
import { Initials } from '../../ui/values/Initials';
import { allClearText, sentAlarmText } from '../check-in/check-in-texts';
import { LIST_RULES, formatListAddress, oneOf, useListAddress } from '../lists/list-address';
import { Listing } from '../lists/Listing';
import { usePages } from '../lists/use-pages';
import { Tiles, labelWithIcon } from '../lists/Tiles';
import { AlarmNotes, canViewAlarm, getAlarmPath, isAlarmOpen } from './OpenAlarms';
import { timeOfDay } from '../../ui/values/When';
import { TableHead } from '../../ui/lists/TableHead';

const CHECK_IN_ADDRESS_RULES = {
  ...LIST_RULES,
  state: oneOf('running', 'due', 'missed', 'help', 'ended'),
};
const ROWS_PER_PAGE = 25;
const REFRESH_INTERVAL_MS = 5000;

/** The settings load later: only administrators see them, below the board. */
const Settings = lazy(() =>
  import('./CheckInSettings').then((module) => module.CheckInSettingsForm),
);

/** The people who work alone now. People who need help come first. */
export function CheckInBoardScreen() {
  const address = useListAddress(CHECK_IN_ADDRESS_RULES);
  // The rules allow nothing else.
  const state = address.parts.state as CheckInState | '';
  const list = usePages<CheckIn, CheckInBoard>(
    address,
    (pageRequest) => readCheckIns(pageRequest, state),
    CHECK_INS_FAILED,
    [state],
    ROWS_PER_PAGE,
  );
  const { shown, reload } = list;
  useEffect(() => repeatWhileVisible(REFRESH_INTERVAL_MS, reload), []);
  const alarms = shown?.rows.filter(isAlarmOpen) ?? [];
  const isOff = isAdmin.value && areCheckInsOn.value === false;
  const isUnused =
    isOff && shown && !state && !list.query && Object.values(shown.counts).every((count) => !count);
  return (
    <>
      <div className="bar">
        <Heading>Check-ins</Heading>
        {shown && !isUnused && (
          // Screen readers do not announce each update.
          <small role="status">
            <span className="chip">
              Live
              <span aria-hidden="true">
                {' '}
                · updated {formatWithSeconds(new Date(list.asOf ?? 0))}
              </span>
            </span>
          </small>
        )}
      </div>
      <AlarmNotes alarms={alarms} />
      {isUnused && <p className="note">Check-ins are off, so people can’t start one.</p>}
      {isOff && !isUnused && (
        <p className="note">
          Check-ins are off, so people can’t start one.{' '}
          <a href="#check-in-settings">Turn them on in the settings</a>
        </p>
      )}
      {shown && !isUnused && (
        <Tiles
          tiles={createTiles(shown.counts, state)}
          shown={state}
          addressOf={(stateToShow) => getStateAddress(stateToShow === state ? '' : stateToShow)}
        />
      )}
      {!isUnused && (
        <search className="bar">
          <Search label="Search Users" value={list.query} onSearch={list.search} />
        </search>
      )}
      {!isUnused && (
        <Listing
          // Automatic updates show no loading state.
          list={{ ...list, loading: list.loading && !shown }}
          noun="check-in"
          empty={
            state ? (
              'No check-ins in this state.'
            ) : (
              <EmptyList
                icon="clock"
                title="No check-ins"
                hint="When someone starts a check-in, you can follow it here."
              />
            )
          }
          live
        >
          {(rows) => <Table rows={rows} />}
        </Listing>
      )}
      {isAdmin.value && <Settings />}
    </>
  );

  function getStateAddress(stateToShow: string): string {
    return (
      location.pathname +
      formatListAddress(CHECK_IN_ADDRESS_RULES, { ...address.parts, state: stateToShow, page: '' })
    );
  }
}

/** The tile for help is shown only when someone needs it. */
const createTiles = (
  { running, due, missed, help, ended }: CheckInBoard['counts'],
  shownState: string,
) => [
  ...(help > 0 || shownState === 'help'
    ? [
        [
          'help',
          labelWithIcon('alert', plural(help, { one: 'Needs help', other: 'Need help' })),
          help,
        ] as const,
      ]
    : []),
  ['running', labelWithIcon('clock', <>Running</>), running] as const,
  ['due', labelWithIcon('bell', <>Due</>), due] as const,
  ['missed', labelWithIcon('x', <>Missed</>), missed] as const,
  ['ended', labelWithIcon('check', 'Ended today'), ended] as const,
];

const CHECK_IN_STATE_LABELS: Record<CheckInState, readonly [string, IconName, string?]> = {
  running: ['Running', 'clock'],
  due: ['Due', 'bell', 'warn'],
  missed: ['Missed', 'x', 'bad'],
  help: ['Needs help', 'alert', 'bad'],
  ended: ['Ended', 'check', 'ok'],
};

const ENDED_ALARM_LABEL = ['Ended after an alarm', 'alert', 'warn'] as const;
const SUSPENDED_LABEL = ['Suspended', 'mute', 'warn'] as const;
/** The history says when the alarm was sent: a longer label would not fit on a phone. */
const SUSPENDED_ALARM_LABEL = ['Suspended', 'alert', 'bad'] as const;

/** The suspension of a person does not mean that they are safe. */
function getStateLabel({ state, endReason, lastAlarm }: CheckIn) {
  if (endReason) return lastAlarm ? SUSPENDED_ALARM_LABEL : SUSPENDED_LABEL;
  return state === 'ended' && lastAlarm ? ENDED_ALARM_LABEL : CHECK_IN_STATE_LABELS[state];
}

const Table = ({ rows }: { rows: readonly CheckIn[] }) => (
  <div className="panel scroll">
    <table className="dense">
      <TableHead columns={['Person', 'State', 'Time left', 'Note', 'Started']} actions="Actions" />
      <tbody>
        {rows.map((row) => (
          <CheckInRow key={row.id} row={row} />
        ))}
      </tbody>
    </table>
  </div>
);

function CheckInRow({ row }: { row: CheckIn }) {
  const { person, state, note, startedAt, endedAt, alarm, lastAlarm } = row;
  const [name, icon, tone] = getStateLabel(row);
  // After the all-clear, the last one is history.
  const alarmId = alarm?.messageId ?? (lastAlarm?.at ? lastAlarm.messageId : undefined);
  return (
    <tr>
      <th scope="row">
        <Initials name={person.username} />
        <bdi>{person.username}</bdi>
      </th>
      <td data-label="State">
        <span>
          {/* Calls for help are solid, so that people tell them from silence at sight. */}
          <span
            className={state === 'help' && isAlarmOpen(row) ? 'chip solid' : 'chip'}
            data-tone={alarm?.allClearAt ? 'warn' : tone}
          >
            <Icon name={icon} />
            {name}
          </span>
          <History row={row} />
        </span>
      </td>
      <td data-label="Time left">
        {state === 'help' ? (
          '-'
        ) : endedAt === null ? (
          <span>
            <b style={{ whiteSpace: 'nowrap' }}>{leftText(parseTime(row.dueAt) - serverNow())}</b>
            {!alarm && (
              <small>
                {' '}
                Due at {timeOfDay(row.dueAt)}, alarm at {timeOfDay(row.alarmAt)}
              </small>
            )}
          </span>
        ) : (
          `Ended at ${timeOfDay(endedAt)}`
        )}
      </td>
      <td data-label="Note">
        <bdi>{note || '-'}</bdi>
      </td>
      <td data-label="Started">{timeOfDay(startedAt)}</td>
      <td className="actions">
        {alarmId && (!alarm || canViewAlarm(alarm)) && (
          <Link className="other" href={getAlarmPath(alarmId)}>
            View alarm<span className="sr"> for {person.username}</span>
          </Link>
        )}
      </td>
    </tr>
  );
}

/** What happened so far, beside the state. The column of notes holds only the person's own words. */
function History({ row }: { row: CheckIn }) {
  const { person, answeredAt, receivedAt, helpAt, helpReceivedAt, alarm, lastAlarm } = row;
  return (
    <>
      {alarm?.allClearAt && (
        <small>
          {' '}
          {allClearText(alarm)} {person.username} still has to answer or end the check-in.
        </small>
      )}
      {!alarm && lastAlarm && <small> {sentAlarmText(row)}</small>}
      {helpAt !== undefined && helpReceivedAt !== undefined && (
        <small>
          {' '}
          Asked for help at {timeOfDay(helpAt)}, received at {timeOfDay(helpReceivedAt)}.
        </small>
      )}
      {answeredAt !== null && receivedAt !== undefined ? (
        <small>
          {' '}
          Answered at {timeOfDay(answeredAt)}, received at {timeOfDay(receivedAt)}.
        </small>
      ) : (
        answeredAt !== null &&
        !alarm &&
        lastAlarm?.at &&
        answeredAt > lastAlarm.at && <small> Answered “I’m OK” at {timeOfDay(answeredAt)}.</small>
      )}
    </>
  );
}

const MINUTE_MS = 60_000;

/** Formats the time left: `42 min`, `1 h 20 min`, `Due now`, `8 min overdue`. */
function leftText(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / MINUTE_MS);
  if (minutes === 0) return 'Due now';
  const [hours, minutesLeft] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const length = [hours && `${hours} h`, minutesLeft && `${minutesLeft} min`]
    .filter(Boolean)
    .join(' ');
  return minutes < 0 ? `${length} overdue` : length;
}
