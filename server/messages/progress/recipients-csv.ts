import type { Recipient } from '../../../src/shared/contract';
import type { Database } from '../../db/open';
import { toCsvLine } from '../../../src/shared/csv';
import { sanitizeIdFromUrl } from '../../lib/url-id';
import { readRecipientsAfter } from './recipients';
import type { RecipientStateFilter } from './recipients';

/** Rows in memory at a time. */
const BATCH_ROWS = 1000;
const CSV_COLUMNS = [
  'username',
  'role',
  'state',
  'answer',
  'late',
  'displayedAt',
  'readAt',
  'acknowledgedAt',
  'comment',
  'answerRevision',
] as const;

/** Columns for answers to an earlier text. They exist only if the question was asked again. */
const formerColumns = (revision: number): string[] =>
  ['Answer', 'Comment', 'AcknowledgedAt', 'Late'].map((name) => `revision${revision}${name}`);

function toCells({ user, formerAnswers = [], ...recipient }: Recipient): Record<string, unknown> {
  const formerCells = formerAnswers.flatMap(({ revision, answer, comment, at, late }) => {
    const values = [answer, comment, at, late];
    return formerColumns(revision).map((column, nth) => [column, values[nth]] as const);
  });
  return {
    ...recipient,
    username: user?.username,
    role: user?.role,
    ...Object.fromEntries(formerCells),
  };
}

interface CsvOptions {
  states: readonly RecipientStateFilter[] | undefined;
  /** A sender's file has no roles, and only people of these topics, which each piece reads again. */
  readTopics?: () => Promise<readonly number[]>;
}

/** Each piece has its own statement: a slow reader would keep a transaction open. */
export async function* createRecipientsCsv(
  messageId: string,
  { states, readTopics }: CsvOptions,
  db: Database,
): AsyncGenerator<string> {
  const message = await db
    .selectFrom('messages')
    .select('asked_revision')
    .where('id', '=', sanitizeIdFromUrl(messageId))
    .executeTakeFirst();
  const columns: string[] = [
    ...CSV_COLUMNS.filter((column) => readTopics === undefined || column !== 'role'),
    ...Array.from({ length: (message?.asked_revision ?? 1) - 1 }, (_, nth) =>
      formerColumns(nth + 1),
    ).flat(),
  ];
  let heading = toCsvLine(columns);
  for (let after: number | undefined = 0; after !== undefined; heading = '') {
    const topicIds = await readTopics?.();
    const batchQuery = { after, limit: BATCH_ROWS, states, ...(topicIds && { topicIds }) };
    const { recipients, next } = await readRecipientsAfter(messageId, batchQuery, db);
    const lines = recipients
      .map(toCells)
      .map((cells) => toCsvLine(columns.map((column) => String(cells[column] ?? ''))));
    yield heading + lines.join('');
    after = next;
  }
}
