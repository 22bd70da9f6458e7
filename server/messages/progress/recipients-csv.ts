import type { Recipient, RecipientState } from '../../../src/shared/contract';
import type { Database } from '../../db/open';
import { toLine } from '../../../src/shared/csv';
import { listRecipients } from './recipients';

/** Rows in memory at a time. */
const PIECE = 1000;
const HEADING = toLine([
  'username',
  'role',
  'state',
  'answer',
  'late',
  'displayedAt',
  'readAt',
  'acknowledgedAt',
]);

const toText = ({ user, state, answer, late, ...at }: Recipient): string =>
  toLine([
    user?.username ?? '',
    user?.role ?? '',
    state,
    answer ?? '',
    String(late),
    at.displayedAt ?? '',
    at.readAt ?? '',
    at.acknowledgedAt ?? '',
  ]);

/** Each piece has its own statement: a slow reader would keep a transaction open. */
export async function* makeRecipientsCsv(
  messageId: string,
  states: readonly RecipientState[] | undefined,
  db: Database,
): AsyncGenerator<string> {
  let heading = HEADING;
  for (let after = 0; ; heading = '') {
    const { recipients, last } = await listRecipients(messageId, { after, limit: PIECE }, db);
    // Filtered here: a statement for a thousand of one state might read the whole message.
    const chosen = recipients.filter(({ state }) => states?.includes(state) ?? true);
    yield heading + chosen.map(toText).join('');
    if (recipients.length < PIECE) return;
    after = last;
  }
}
