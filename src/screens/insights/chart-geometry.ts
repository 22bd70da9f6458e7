/** Coordinates in a chart of 100 by 100, with 0 at the top. */

/**
 * The axis's top: the smallest value from `max` that is round, as is its half. For 13, it is 16.
 */
export function roundTop(max: number): number {
  for (let scale = 1; ; scale *= 10)
    for (const step of [2, 4, 6, 8, 10, 12, 16]) if (step * scale >= max) return step * scale;
}

/**
 * A logarithmic scale from one second, so that a median of seconds is readable below a slow hour.
 * The middle and the top are round: 10 s and 100 s, 30 s and 15 min, 1 min and 1 h, 2 min and 4 h,
 * and so on.
 */
export function logScale(maxSeconds: number) {
  const root = Math.sqrt(maxSeconds);
  const middle = [10, 30].find((seconds) => seconds >= root) ?? 60 * Math.ceil(root / 60);
  const top = middle * middle;
  /** The height in hundredths of the chart; up to a second it is 0. */
  const heightOf = (seconds: number | null) =>
    seconds === null ? null : (100 * Math.log(Math.max(1, seconds))) / Math.log(top);
  return { middle, top, heightOf };
}

const formatCoordinate = (value: number): string => String(Math.round(value * 10) / 10);
/** The middle of a day's column. */
const getColumnCenter = (nth: number, count: number): number => ((nth + 0.5) * 100) / count;

type Run = { from: number; values: number[] };

/** Groups consecutive days that have values: the line has a gap at days without a value. */
function splitIntoRuns(values: readonly (number | null)[]): Run[] {
  const runs: Run[] = [];
  values.forEach((value, nth) => {
    const lastRun = runs.at(-1);
    if (value === null) return;
    if (lastRun && lastRun.from + lastRun.values.length === nth) lastRun.values.push(value);
    else runs.push({ from: nth, values: [value] });
  });
  return runs;
}

/** The width that makes few days visible among many, in hundredths of the chart. */
const MIN_VISIBLE_WIDTH = 4;

/** The width of a day's mark: most of its column, or more if no neighbor needs the space. */
function markWidth(valueFlags: readonly boolean[]): number {
  const days = valueFlags.flatMap((has, nth) => (has ? [nth] : []));
  const nearestDistance = Math.min(...days.slice(1).map((day, nth) => day - (days[nth] ?? day)));
  const column = 100 / valueFlags.length;
  return Math.max(0.7 * column, Math.min(MIN_VISIBLE_WIDTH, 0.7 * column * nearestDistance));
}

const listPoints = (
  { from, values }: Run,
  allValues: readonly (number | null)[],
  top: number,
): string[] => {
  const [onlyValue] = values;
  // A day between two gaps is a dash, which shows its line's style.
  if (values.length === 1 && onlyValue !== undefined) {
    const half = markWidth(allValues.map((value) => value !== null)) / 2;
    return [-half, half].map(
      (aside) =>
        `${formatCoordinate(getColumnCenter(from, allValues.length) + aside)},${formatCoordinate(100 - (onlyValue * 100) / top)}`,
    );
  }
  return values.map(
    (value, nth) =>
      `${formatCoordinate(getColumnCenter(from + nth, allValues.length))},${formatCoordinate(100 - (value * 100) / top)}`,
  );
};

/** A path through the values. */
export const linePath = (values: readonly (number | null)[], top: number): string =>
  splitIntoRuns(values)
    .map((run) => `M${listPoints(run, values, top).join(' ')}`)
    .join('');

const formatPoint = (height: number, nth: number, count: number): string =>
  `${formatCoordinate(getColumnCenter(nth, count))},${formatCoordinate(100 - height)}`;

/**
 * Paths for days with gaps: `line` joins consecutive days, `bridge` crosses days without a value,
 * and `dots` mark the days beside a gap.
 */
export function sparsePaths(heights: readonly (number | null)[]): {
  line: string;
  bridge: string;
  dots: string;
} {
  const runs = splitIntoRuns(heights).map(({ from, values }) =>
    values.map((height, nth) => formatPoint(height, from + nth, heights.length)),
  );
  const draw = (points: readonly (string | undefined)[]) => `M${points.join(' ')}`;
  return {
    line: runs
      .filter(({ length }) => length > 1)
      .map(draw)
      .join(''),
    bridge: runs
      .slice(1)
      .map(([first], nth) => draw([runs[nth]?.at(-1), first]))
      .join(''),
    dots: dotsPath(
      runs.length > 1 || runs[0]?.length === 1
        ? runs.flatMap((points) => [...new Set([points[0] ?? '', points.at(-1) ?? ''])])
        : [],
    ),
  };
}

/** The dots are lines without a length: their round ends are visible. */
const dotsPath = (points: readonly string[]): string =>
  points.map((point) => `M${point}h0`).join('');

/** The areas below the lines. */
export const areaPath = (values: readonly (number | null)[], top: number): string =>
  splitIntoRuns(values)
    .map((run) => {
      const points = listPoints(run, values, top);
      const [first = '', lastRun = ''] = [points[0], points.at(-1)].map(
        (point) => point?.split(',')[0],
      );
      return `M${first},100 ${points.join(' ')} ${lastRun},100Z`;
    })
    .join('');

/** Draws the bars of one part; each day's parts are stacked. */
export function barsPath(days: readonly (readonly number[])[], part: number, top: number): string {
  const width = markWidth(days.map((parts) => parts.some((count) => count > 0)));
  return days
    .map((parts, nth) => {
      const height = ((parts[part] ?? 0) * 100) / top;
      const below = parts.slice(0, part).reduce((sum, each) => sum + (each * 100) / top, 0);
      const x = formatCoordinate(getColumnCenter(nth, days.length) - width / 2);
      return height > 0
        ? `M${x},${formatCoordinate(100 - below)}h${formatCoordinate(width)}v-${formatCoordinate(height)}h-${formatCoordinate(width)}z`
        : '';
    })
    .join('');
}
