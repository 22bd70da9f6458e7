import * as v from 'valibot';
import type { ColumnUse } from '../../src/shared/contract';
import { columnUseSchema } from '../../src/shared/contract/import';
import { decodeCsv } from '../../src/shared/csv';
import { LANGUAGE_CODES } from '../../src/shared/languages';
import { requestLanguage } from '../translation/accept-language';
import { translateSentences } from '../translation/translate';
import { createConcurrencyLimiter } from '../http/access/person-limits';
import type { BodyReader } from '../http/body';
import { HttpError } from '../http/errors';
import { readOption } from '../http/paging';
import { CustomResponse } from '../http/response';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { NO_SUCH_TOPIC } from '../topics/topics';
import { HeadingError } from './heading';
import { importPeople } from './import';

const csv: BodyReader<string> = {
  maxBytes: 2 * 1024 * 1024,
  read(bytes, contentType) {
    if (contentType !== 'text/csv')
      throw new HttpError(415, 'The body must be CSV (Content-Type: text/csv).');
    const decodedFile = decodeCsv(bytes);
    if ('rejection' in decodedFile) throw new HttpError(400, decodedFile.rejection);
    return decodedFile.text;
  },
};

/** Each import may need tens of megabytes of memory. */
const limits = { atOnce: 1, waiting: 5 };

export function addImportRoutes(add: AddRoute, services: Services): void {
  const limitConcurrency = createConcurrencyLimiter(limits);
  add('POST /api/admin/import', {
    action: 'users.import',
    reader: csv,
    respond: async ({ body: text, query, transact, header }) => {
      const language = requestLanguage(header);
      const isDry = query.get('dryRun') === 'true';
      const topicId = readTopicId(query.get('topicId'));
      const columns = readColumns(query.get('columns'));
      const invitationLanguage = readOption('language', LANGUAGE_CODES, query);
      try {
        const importResult = await limitConcurrency('import', () =>
          importPeople(
            { text, isDry, topicId, columns, invitationLanguage, language },
            transact,
            services,
          ),
        );
        if (isDry || importResult.errors.length === 0) return importResult;
        const error = `No one was added: ${importResult.errors.length === 1 ? '1 line has an error' : `${importResult.errors.length} lines have errors`}.`;
        return replyRejected({ error: translateSentences([error], language), ...importResult });
      } catch (error) {
        if (!(error instanceof HeadingError)) throw error;
        return replyRejected({
          error: translateSentences([error.message], language),
          ...error.heading,
        });
      }
    },
  });
}

const replyRejected = (value: object): CustomResponse =>
  new CustomResponse(400, { 'Content-Type': 'application/json' }, JSON.stringify(value));

function readTopicId(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new HttpError(400, NO_SUCH_TOPIC);
  return Number(text);
}

function readColumns(text: string | null): ColumnUse[] | undefined {
  if (text === null || text === '') return undefined;
  const columns = text.split(',');
  if (!columns.every((column) => v.is(columnUseSchema, column)))
    throw new HttpError(400, NO_SUCH_USE);
  return columns;
}

const NO_SUCH_USE = 'Each column must be username, email, role, topics, teams or ignore.';
