/**
 * Standard output, as the server uses it: a log of JSON lines for machines, and sentences for a
 * person at a terminal. Output that is closed, not read, or on a full disk, is lost and ends
 * nothing.
 */
import type { Fields, Level, Log } from './log';
import { createLog, describeError, formatLine } from './log';

interface Output {
  log: Log;
  /** Whether a person reads along: only then anything but JSON lines is written. */
  isTerminal: boolean;
  /** A line of the log, to be printed. */
  line(level: Level, event: string, fields: Fields): string;
  /** Writes text as it is, and resolves when it is written. @throws OutputError */
  print(text: string): Promise<void>;
}

/** Something that had to be seen could not be written. */
export class OutputError extends Error {
  constructor(cause: unknown) {
    super('The output cannot be written.', { cause });
  }
}

type Stream = Pick<NodeJS.WriteStream, 'write' | 'on' | 'isTTY' | 'writableLength'>;

/**
 * Bytes that may wait for a reader that is there and does not read. A pipe holds 64 KiB, and all
 * that comes after it would be kept in memory.
 */
export const MAX_UNREAD = 1024 * 1024;

/**
 * @param out standard output
 * @param other standard error, which hears once that standard output cannot be written
 */
export function createOutput(out: Stream, other: Stream): Output {
  let isLost = false;
  const lose = (error: Error): void => {
    if (isLost) return;
    isLost = true;
    createLog((line) => void other.write(`${line}\n`)).error(
      'standard output cannot be written: its log is lost',
      describeCode(error),
    );
  };
  // Without a listener an error of the stream, such as EPIPE from a reader that is gone, would end
  // the process.
  out.on('error', lose);
  other.on('error', () => undefined);
  const print = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      out.write(text, (error) => (error ? reject(new OutputError(error)) : resolve()));
    });
  let dropped = 0;
  const write = (line: string): void => {
    if (out.writableLength + line.length >= MAX_UNREAD) {
      dropped += 1;
      return;
    }
    if (dropped > 0) {
      const lines = dropped;
      dropped = 0;
      out.write(`${formatLine('warn', 'log lines were dropped: nobody read them', { lines })}\n`);
    }
    out.write(`${line}\n`);
  };
  return {
    log: createLog(write),
    isTerminal: out.isTTY === true,
    line: formatLine,
    print,
  };
}

const describeCode = (error: Error) => ({
  code: 'code' in error ? String(error.code) : error.name,
});

/**
 * The signals by which Node tells of its own accord, as lines of the log. After an uncaught
 * exception the process ends: its state is unknown.
 */
export function watchProcess({ log, isTerminal }: Output): void {
  process.on('uncaughtException', (error, origin) => {
    log.error(origin, describeError(error));
    process.exit(1);
  });
  if (isTerminal) return;
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn('warning of Node', describeError(warning)));
}
