import { ApiError } from './error';

const CAUSE_TEXTS = {
  connection: 'Check your connection and try again.',
  permission: 'You might not have the required permissions.',
  server: 'The server isn’t available right now. Try again in a moment.',
};

/**
 * Call it in `catch`: it adds the known cause to a fallback that the specification does not define.
 */
export const withCause =
  (fallback: string) =>
  (thrown: unknown): never => {
    if (!(thrown instanceof ApiError) || thrown.message !== fallback) throw thrown;
    const { code, status, retryAfter, path } = thrown;
    const cause =
      code === 'unreachable'
        ? CAUSE_TEXTS.connection
        : status === 403
          ? CAUSE_TEXTS.permission
          : status >= 500
            ? CAUSE_TEXTS.server
            : '';
    throw new ApiError(code, `${fallback} ${cause}`.trim(), status, retryAfter, path);
  };
