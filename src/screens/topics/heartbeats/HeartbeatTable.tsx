import { Link } from 'wouter';
import { unitText } from '../../../platform/unit-text';
import type { Heartbeat } from '../../../shared/contract';
import { Icon, type IconName } from '../../../ui/Icon';
import { MoreMenu } from '../../../ui/MoreMenu';
import { clockText, formatWithSeconds, parseTime } from '../../../ui/values/Day';
import { timeText } from '../../../ui/values/When';
import { TableHead } from '../../../ui/lists/TableHead';

interface Props {
  rows: readonly Heartbeat[];
  onPause: (row: Heartbeat) => void;
  onDelete: (row: Heartbeat) => void;
}

export const HeartbeatTable = ({ rows, ...actions }: Props) => (
  <div className="panel scroll">
    <table className="dense">
      <TableHead
        columns={['Heartbeat', 'State', 'Interval', 'Last heartbeat', 'Next due']}
        actions="Actions"
      />
      <tbody>
        {rows.map((row) => (
          <HeartbeatRow key={row.id} row={row} {...actions} />
        ))}
      </tbody>
    </table>
  </div>
);

const STATE_ICONS: Record<Heartbeat['state'], readonly [IconName, string?]> = {
  waiting: ['clock'],
  alive: ['check', 'ok'],
  late: ['clock', 'warn'],
  silent: ['alert', 'bad'],
  paused: ['mute'],
};

/** “Since” is the time at which the heartbeat was due, not the time of the alert. */
function stateText({ state, dueAt, every }: Heartbeat): string {
  const dueText = heartbeatTimeText(dueAt, every);
  switch (state) {
    case 'waiting':
      return 'Waiting for the next heartbeat';
    case 'alive':
      return 'On time';
    case 'late':
      return `Late since ${dueText}`;
    case 'silent':
      return `Silent since ${dueText}`;
    case 'paused':
      return 'Paused';
  }
}

const QUARTER_HOUR_SECONDS = 15 * 60;
/** Seconds matter only for frequent ones. */
const heartbeatTimeText = (iso: string, intervalSeconds: number): string =>
  timeText(parseTime(iso), intervalSeconds < QUARTER_HOUR_SECONDS ? formatWithSeconds : clockText);

const TIME_UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;
/** Formats an exact interval, such as `1 day` or `90 min`. */
function everyText(seconds: number): string {
  const [unit, length] =
    TIME_UNITS.find(([, each]) => seconds % each === 0) ?? (['second', 1] as const);
  // A day is no longer as a word: German's short one is “1 Tg.”.
  return unitText(seconds / length, unit, unit === 'day' ? 'long' : 'short');
}

function HeartbeatRow({ row, onPause, onDelete }: { row: Heartbeat } & Omit<Props, 'rows'>) {
  const { name, state, every, lastAt, dueAt, alert, isKeyRevoked } = row;
  const [icon, tone] = STATE_ICONS[state];
  return (
    <tr>
      <th scope="row">
        <span className="who" data-tone={tone} aria-hidden="true">
          <Icon name="beat" />
        </span>
        <bdi>{name}</bdi>
        {isKeyRevoked && <small> Its key was revoked. Give the machine another key.</small>}
      </th>
      <td data-label="State">
        <span className="chip" data-tone={tone}>
          <Icon name={icon} />
          {stateText(row)}
        </span>
      </td>
      <td data-label="Interval">{everyText(every)}</td>
      <td data-label="Last heartbeat">{heartbeatTimeText(lastAt, every)}</td>
      <td data-label="Next due">
        {/* Once it is overdue, the state says since when. */}
        {state === 'paused' || parseTime(dueAt) < Date.now()
          ? '-'
          : heartbeatTimeText(dueAt, every)}
      </td>
      <td className="actions">
        <MoreMenu itemName={name}>
          {alert && (
            <li>
              <Link href={`/admin/messages/${alert.messageId}`}>
                <Icon name="inbox" />
                Open alert
              </Link>
            </li>
          )}
          <li>
            <button type="button" className="quiet" onClick={() => onPause(row)}>
              <Icon name={state === 'paused' ? 'bell' : 'mute'} />
              {state === 'paused' ? 'Resume' : 'Pause'}
            </button>
          </li>
          <li className="last">
            <button type="button" className="quiet" onClick={() => onDelete(row)}>
              <Icon name="x" />
              Delete heartbeat
            </button>
          </li>
        </MoreMenu>
      </td>
    </tr>
  );
}
