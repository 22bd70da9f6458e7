import { unitText } from '../../platform/unit-text';
import type { InsightDay } from '../../state/insights';
import { dayText } from '../../ui/values/Day';
import { Chart } from './Chart';
import { insightSecondsText } from './seconds-text';
import { areaPath, barsPath, linePath, logScale, roundTop, sparsePaths } from './chart-geometry';

interface Props {
  /** Every day of the range, oldest first; the last is today. */
  days: readonly InsightDay[];
}

/** Midnight here, not in UTC. */
const localDay = (day: string): string => dayText(`${day}T00:00`);
const highestValue = (values: readonly (number | null)[]): number =>
  values.reduce<number>((max, value) => Math.max(max, value ?? 0), 0);

/** What all charts over the days have. */
function overDays(days: readonly InsightDay[], scale: readonly [string, string, string]) {
  const label = (nth: number) => localDay(days[nth]?.day ?? '');
  return {
    scale,
    days: [label(0), label(Math.floor((days.length - 1) / 2)), 'Today'] as const,
    dayText: localDay,
  };
}
const lastDays = ({ length }: readonly InsightDay[]): string => `Last ${length} days`;

export function ReachChart({ days }: Props) {
  const rows = days.filter(({ reachable }) => reachable !== null);
  const values = days.map(({ reachable }) => reachable);
  const top = roundTop(highestValue(days.map(({ people }) => people)));
  const [firstDay, lastDay] = [rows[0], rows.at(-1)];
  return (
    <Chart
      title="Reachable people"
      subtitle={
        firstDay && lastDay
          ? `${lastDays(days)}: from ${firstDay.reachable} to ${lastDay.reachable} of ${lastDay.people}`
          : lastDays(days)
      }
      sentence={`Reachable people over the last ${days.length} days: from ${firstDay?.reachable} of ${firstDay?.people} to ${lastDay?.reachable} of ${lastDay?.people}.`}
      {...overDays(days, [top.toLocaleString(), (top / 2).toLocaleString(), '0'])}
      rows={rows}
      columns={[
        { name: 'Reachable', value: ({ reachable }) => reachable ?? '-' },
        { name: 'People', value: ({ people }) => people ?? '-' },
      ]}
    >
      <path className="area" d={areaPath(values, top)} />
      <path d={linePath(values, top)} />
    </Chart>
  );
}

/** The label of a tick, such as `10 s`. */
function tickText(seconds: number): string {
  const [size, shortUnit, unit] =
    seconds % 60 > 0
      ? ([1, 's', 'second'] as const)
      : seconds % 3600 > 0
        ? ([60, 'min', 'minute'] as const)
        : ([3600, 'h', 'hour'] as const);
  const count = seconds / size;
  return LANGUAGE === 'en' ? `${count} ${shortUnit}` : unitText(count, unit, 'short');
}

export function DelayChart({ days }: Props) {
  const rows = days.filter(({ medianSeconds }) => medianSeconds !== null);
  const [medians, slowest] = [
    days.map(({ medianSeconds }) => medianSeconds),
    days.map(({ p95Seconds }) => p95Seconds),
  ];
  const { middle, top, heightOf } = logScale(highestValue(slowest));
  const maxText = (values: readonly (number | null)[]) => insightSecondsText(highestValue(values));
  return (
    <Chart
      title="Delivery time"
      subtitle="From the push service to the screen"
      sentence={`Delivery time over the last ${days.length} days: daily median up to ${maxText(medians)}, 95th percentile up to ${maxText(slowest)}.`}
      {...overDays(days, [tickText(top), tickText(middle), `≤ ${tickText(1)}`])}
      rows={rows}
      columns={[
        { name: 'Median', value: ({ medianSeconds }) => insightSecondsText(medianSeconds) },
        { name: '95th percentile', value: ({ p95Seconds }) => insightSecondsText(p95Seconds) },
      ]}
      keys={
        <>
          <li>Median</li>
          <li className="dash">95th percentile</li>
        </>
      }
    >
      <SparseLine heights={slowest.map(heightOf)} lineStyle="dash" />
      <SparseLine heights={medians.map(heightOf)} />
    </Chart>
  );
}

/** Messages are not sent every day. */
function SparseLine({
  heights,
  lineStyle,
}: {
  heights: readonly (number | null)[];
  lineStyle?: 'dash';
}) {
  const { line, bridge, dots } = sparsePaths(heights);
  return (
    <>
      <path className={lineStyle ? `bridge ${lineStyle}` : 'bridge'} d={bridge} />
      <path className={lineStyle} d={line} />
      <path className="dots" d={dots} />
    </>
  );
}

/** Within five minutes, later, and none. */
const countAnswers = ({ asked, acknowledged, prompt }: InsightDay): [number, number, number] => [
  prompt ?? 0,
  (acknowledged ?? 0) - (prompt ?? 0),
  (asked ?? 0) - (acknowledged ?? 0),
];
const ANSWER_TONES = ['ok', 'warn', undefined] as const;
const ANSWER_LABELS = ['Within 5 min', 'Later', 'No answer'] as const;

export function AnswersChart({ days }: Props) {
  const rows = days.filter(({ asked }) => asked !== null && asked > 0);
  const parts = days.map(countAnswers);
  const top = roundTop(highestValue(days.map(({ asked }) => asked)));
  const sum = (nth: number) =>
    rows.reduce((total, day) => total + (countAnswers(day)[nth] ?? 0), 0).toLocaleString();
  return (
    <Chart
      title="Answers"
      subtitle="People asked, by day"
      sentence={`Answers over the last ${days.length} days: ${sum(0)} within five minutes, ${sum(1)} later, ${sum(2)} missing.`}
      {...overDays(days, [top.toLocaleString(), (top / 2).toLocaleString(), '0'])}
      rows={rows}
      columns={ANSWER_LABELS.map((name, nth) => ({
        name,
        value: (day) => countAnswers(day)[nth] ?? 0,
      }))}
      keys={ANSWER_LABELS.map((name, nth) => (
        <li key={name} className="box" data-tone={ANSWER_TONES[nth]}>
          {name}
        </li>
      ))}
    >
      {ANSWER_LABELS.map((name, part) => (
        <path
          key={name}
          className="bars"
          data-tone={ANSWER_TONES[part]}
          d={barsPath(parts, part, top)}
        />
      ))}
    </Chart>
  );
}
