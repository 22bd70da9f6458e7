import fs from 'node:fs/promises';

export interface WorkRate {
  perSecond: number;
  /** Per second of this process on any core. */
  perCpuSecond: number;
  /** The highest resident set in MB, with what earlier runs left behind. */
  memory: number;
}

export async function measureWork(count: number, work: () => Promise<void>): Promise<WorkRate> {
  let memory = 0;
  const watching = setInterval(() => (memory = Math.max(memory, process.memoryUsage.rss())), 50);
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(watching);
  memory = Math.max(memory, process.memoryUsage.rss());
  return {
    perSecond: count / seconds,
    perCpuSecond: count / ((user + system) / 1e6),
    memory: memory / 1e6,
  };
}

export function getMedian(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

export function getMedianRun(runs: WorkRate[]): WorkRate {
  return {
    perSecond: getMedian(runs.map(({ perSecond }) => perSecond)),
    perCpuSecond: getMedian(runs.map(({ perCpuSecond }) => perCpuSecond)),
    memory: getMedian(runs.map(({ memory }) => memory)),
  };
}

/** Prints figures with their limits. */
export function createReporter(): Record<
  'atLeast' | 'atMost',
  (what: string, figure: number, bar: number) => void
> {
  const print = (what: string, figure: number, bar: string, isMissed: boolean): void =>
    console.log(
      `  ${what}: ${figure.toFixed(figure < 10 ? 2 : 0)} (${bar})${isMissed ? '  MISSED' : ''}`,
    );
  return {
    atMost: (what, figure, bar) => print(what, figure, `at most ${bar}`, figure > bar),
    atLeast: (what, figure, bar) => print(what, figure, `at least ${bar}`, figure < bar),
  };
}

export function readOption(name: string, otherwise: number): number {
  const index = process.argv.indexOf(`--${name}`);
  return index < 0 ? otherwise : Number(process.argv[index + 1]);
}

/** A process's milliseconds on all cores; 0 if the system does not report it. */
export async function readProcessorTime(pid: number | undefined): Promise<number> {
  const stat = await fs.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name in parentheses may contain anything. Ticks are hundredths of a second.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return 10 * (Number(user ?? 0) + Number(system ?? 0));
}

/** Prints a figure with the highest that is good. */
export function reportLimit(what: string, figure: number, limit: number, unit: string): void {
  const missed = figure > limit ? '  MISSED' : '';
  console.log(`  ${what}: ${figure.toFixed(1)} ${unit} (limit: ${limit})${missed}`);
}
