import type { Recipient, RecipientState } from '../../../src/shared/contract';
import type { Database } from '../../db/open';
import { toCsvLine } from '../../../src/shared/csv';
import { listRecipients } from './recipients';

/** Rows in memory at a time. */
const PIECE = 1000;
const COLUMNS = [
  'username',
  'role',
  'state',
  'answer',
  'late',
  'displayedAt',
  'readAt',
  'acknowledgedAt',
  'comment',
] as const;

const cellsOf = ({ user, ...recipient }: Recipient): Record<string, unknown> => ({
  ...recipient,
  username: user?.username,
  role: user?.role,
});

interface CsvOptions {
  states: readonly RecipientState[] | undefined;
  /** For senders: without roles, and only people reached through these topics, read for each piece. */
  readTopics?: () => Promise<readonly number[]>;
}

/** Each piece has its own statement: a slow reader would keep a transaction open. */
export async function* makeRecipientsCsv(
  messageId: string,
  { states, readTopics }: CsvOptions,
  db: Database,
): AsyncGenerator<string> {
  const columns = COLUMNS.filter((column) => readTopics === undefined || column !== 'role');
  let heading = toCsvLine(columns);
  for (let after: number | undefined = 0; after !== undefined; heading = '') {
    const topicIds = await readTopics?.();
    const piece = { after, limit: PIECE, ...(topicIds && { topicIds }) };
    const { recipients, next } = await listRecipients(messageId, piece, db);
    // Filtered here: a statement for a thousand of one state might read the whole message.
    const rows = recipients.filter(({ state }) => states?.includes(state) ?? true);
    const lines = rows
      .map(cellsOf)
      .map((cells) => toCsvLine(columns.map((column) => String(cells[column] ?? ''))));
    yield heading + lines.join('');
    after = next;
  }
}
