/** Standard output. Output that fails is dropped and never ends the process. */
import type { Level, Log } from './log';
import { createLog, describeError, formatLine, formatReadable } from './log';

interface Output {
  log: Log;
  /** The least level that is logged; `info` until the level is set. */
  setLevel(level: Level): void;
  /** Whether a person reads the output. Otherwise only JSON lines are written. */
  isTerminal: boolean;
  /**
   * Writes text, and resolves once it is written.
   * @throws OutputError
   */
  print(text: string): Promise<void>;
}

/** Output that had to be seen could not be written. */
export class OutputError extends Error {
  constructor(cause: unknown) {
    super('Cannot write to standard output.', { cause });
  }
}

type OutputStream = Pick<NodeJS.WriteStream, 'write' | 'on' | 'isTTY' | 'writableLength'>;

/** Bytes to buffer while nothing reads the output. Further lines are dropped to save memory. */
export const MAX_BUFFERED_BYTES = 1024 * 1024;

/** @param other standard error, which reports once that `out` failed */
export function createOutput(out: OutputStream, other: OutputStream): Output {
  let isLost = false;
  const handleLoss = (error: Error): void => {
    if (isLost) return;
    isLost = true;
    createLog((line) => void other.write(`${line}\n`)).error(
      'log lost: standard output cannot be written',
      describeCode(error),
    );
  };
  // Unhandled errors such as EPIPE would end the process.
  out.on('error', handleLoss);
  other.on('error', () => undefined);
  const print = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      out.write(text, (error) => (error ? reject(new OutputError(error)) : resolve()));
    });
  const isTerminal = out.isTTY === true;
  const options = { level: 'info' as Level, format: isTerminal ? formatReadable : formatLine };
  let droppedLines = 0;
  const writeLine = (line: string): void => {
    if (out.writableLength + line.length >= MAX_BUFFERED_BYTES) {
      droppedLines += 1;
      return;
    }
    if (droppedLines > 0) {
      const lines = droppedLines;
      droppedLines = 0;
      out.write(
        `${formatLine('warn', 'log lines dropped because nothing reads the output', { lines })}\n`,
      );
    }
    out.write(`${line}\n`);
  };
  const setLevel = (level: Level): void => {
    options.level = level;
  };
  return { log: createLog(writeLine, options), setLevel, isTerminal, print };
}

const describeCode = (error: Error) => ({
  code: 'code' in error ? String(error.code) : error.name,
});

/** Logs Node's own signals. An uncaught exception ends the process, whose state is unknown. */
export function watchProcess({ log, isTerminal }: Output): void {
  process.on('uncaughtException', (error, origin) => {
    log.error('uncaught error, exiting', { origin, ...describeError(error) });
    process.exit(1);
  });
  if (isTerminal) return;
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn('Node.js warning', describeError(warning)));
}
