/**
 * The log: one JSON object per line. Fields are ids, counts, codes and durations; never passwords,
 * tokens, endpoints or email addresses.
 */
export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];
export type Fields = Record<string, string | number | boolean | null | undefined>;

export interface Log {
  debug(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
}

export const formatLine = (level: Level, event: string, fields: Fields = {}): string =>
  JSON.stringify({ time: new Date().toISOString(), level, event, ...fields });

/** A line for a person at a terminal, such as `14:02:07 info  request status=200`. */
export function formatReadable(level: Level, event: string, fields: Fields = {}): string {
  const shownFields = Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined || value === null) return [];
    const text = String(value);
    return [`${name}=${/^[\w./:@+-]+$/.test(text) ? text : JSON.stringify(text)}`];
  });
  const time = new Date().toTimeString().slice(0, 8);
  return [time, level.padEnd(5), event, ...shownFields].join(' ');
}

interface LogOptions {
  /** Lines below this level are dropped. The level may change. */
  level: Level;
  format: typeof formatLine;
}

/** @param write prints a line without its end, such as `console.log` */
export function createLog(
  write: (line: string) => void,
  options: Readonly<LogOptions> = { level: 'info', format: formatLine },
): Log {
  const atLevel =
    (level: Level) =>
    (event: string, fields?: Fields): void => {
      if (LEVELS.indexOf(level) >= LEVELS.indexOf(options.level))
        write(options.format(level, event, fields));
    };
  return {
    debug: atLevel('debug'),
    info: atLevel('info'),
    warn: atLevel('warn'),
    error: atLevel('error'),
  };
}

/** The loggable facts of an unexpected error. */
export function describeError(error: unknown): Fields {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    error: error.name,
    code,
    detail: error.message,
    stack: error.stack?.split('\n').slice(1, 6).join(' | '),
  };
}
