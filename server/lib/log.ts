/**
 * The log: one JSON object per line. Fields are ids, counts, codes and durations; never passwords,
 * tokens, endpoints or email addresses.
 */
export type Level = 'info' | 'warn' | 'error';
export type Fields = Record<string, string | number | boolean | null | undefined>;

export interface Log {
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
}

export const formatLine = (level: Level, event: string, fields: Fields = {}): string =>
  JSON.stringify({ time: new Date().toISOString(), level, event, ...fields });

/** @param write prints a line without its end, such as `console.log` */
export function createLog(write: (line: string) => void): Log {
  const at =
    (level: Level) =>
    (event: string, fields?: Fields): void =>
      write(formatLine(level, event, fields));
  return { info: at('info'), warn: at('warn'), error: at('error') };
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
