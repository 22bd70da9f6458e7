/** Coordinates in a chart of 100 by 100, with 0 at the top. */

/**
 * The axis's top: the smallest value from `max` that is round, as is its half. For 13, it is 16.
 */
export function roundTop(max: number): number {
  for (let scale = 1; ; scale *= 10)
    for (const step of [2, 4, 6, 8, 10, 12, 16]) if (step * scale >= max) return step * scale;
}

/** An outlier is above the third quartile times this factor. */
const OUTLIER_FACTOR = 3;

/**
 * The highest value without outliers: one slow night must not flatten a month. Needs five values.
 */
export function highestUsual(values: readonly (number | null)[]): number {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const usual = sorted[Math.ceil(0.75 * (sorted.length - 1))] ?? 0;
  return sorted.filter((value) => value <= OUTLIER_FACTOR * usual).at(-1) ?? 0;
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

const formatPoint = (value: number, nth: number, count: number, top: number): string =>
  `${formatCoordinate(getColumnCenter(nth, count))},${formatCoordinate(100 - (Math.min(value, top) * 100) / top)}`;

/**
 * Paths for days with gaps: `line` joins consecutive days, `bridge` crosses days without a value,
 * and `dots` mark the days beside a gap. Values above the top are drawn at the top.
 */
export function sparsePaths(
  values: readonly (number | null)[],
  top: number,
): { line: string; bridge: string; dots: string } {
  const runs = splitIntoRuns(values).map(({ from, values: runValues }) =>
    runValues.map((value, nth) => formatPoint(value, from + nth, values.length, top)),
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

/** Dots at the top for days whose values are above the top. */
export const dotsAboveTopPath = (values: readonly (number | null)[], top: number): string =>
  dotsPath(
    values.flatMap((value, nth) =>
      value !== null && value > top ? formatPoint(value, nth, values.length, top) : [],
    ),
  );

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
