/** Turns failures into responses: the only place that does. */
import type { Context } from 'hono';
import type { ErrorBody } from '../../src/shared/contract';
import { databaseFault, isWriteRejection } from '../db/errors';
import { readAcceptLanguage } from '../translation/accept-language';
import { translate, translateErrors } from '../translation/translate';
import { describeError } from '../lib/log';
import type { Services } from '../services';
import type { Env } from './env';
import {
  HttpError,
  SERVICE_UNAVAILABLE,
  UNAVAILABLE_RETRY_SECONDS,
  truncateErrors,
} from './errors';
import { respondJson } from './response';

const UNEXPECTED_ERROR =
  'Something went wrong. If it happens again, please tell your administrator this ID: {0}';

/** Errors are in the caller's language. Unexpected failures show an id and no detail. */
export function respondToError(
  error: unknown,
  context: Context<Env>,
  { log }: Pick<Services, 'log'>,
): Response {
  const id = context.get('requestId');
  const language = readAcceptLanguage(context.req.header('accept-language')) ?? 'en';
  const languageHeaders = { 'Content-Language': language, Vary: 'Accept-Language' };
  if (error instanceof HttpError) {
    const { status, retryAfterSeconds: seconds, code, challenge } = error;
    const retryHeader = seconds !== undefined && { 'Retry-After': String(seconds) };
    const errorBody: ErrorBody = {
      error: translateErrors(truncateErrors(error.error), language),
      ...(code && { code }),
      ...(challenge && { challenge }),
    };
    return respondJson(context, status, errorBody, { ...languageHeaders, ...retryHeader });
  }
  const fault = databaseFault(error);
  if (fault === 'missing-reference')
    return respondJson(
      context,
      404,
      {
        error: translate(
          'Something you selected was just deleted. Reload and try again.',
          language,
        ),
      } satisfies ErrorBody,
      languageHeaders,
    );
  if (fault === 'unavailable') {
    const details = { id, ...describeError(error) };
    if (isWriteRejection(error)) log.error('database rejects writes', details);
    else log.error('database unavailable', details);
    const retryHeader = { 'Retry-After': String(UNAVAILABLE_RETRY_SECONDS) };
    return respondJson(
      context,
      503,
      { error: translate(SERVICE_UNAVAILABLE, language) } satisfies ErrorBody,
      { ...languageHeaders, ...retryHeader },
    );
  }
  log.error('unexpected error', { id, ...describeError(error) });
  return respondJson(
    context,
    500,
    { error: translate(UNEXPECTED_ERROR, language, id), requestId: id },
    languageHeaders,
  );
}
