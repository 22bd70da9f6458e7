/** All recipients of a message as a file for spreadsheets. */
import type { Recipient, RecipientState } from '../../../src/shared/contract';
import type { Database } from '../../db/open';
import { toLine } from '../../../src/shared/csv';
import { listRecipients } from './recipients';

/** At a time: that much is in memory, whatever their number and however slowly they are read. */
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

/**
 * By the ids of the people. Each piece has its own statement: a slow reader would hold a transaction
 * open.
 * @param states undefined for all of them
 */
export async function* makeRecipientsCsv(
  messageId: string,
  states: readonly RecipientState[] | undefined,
  db: Database,
): AsyncGenerator<string> {
  let heading = HEADING;
  for (let after = 0; ; heading = '') {
    const { recipients, last } = await listRecipients(messageId, { after, limit: PIECE }, db);
    // Chosen here: a statement that looks for a thousand in a state may go through all of a message.
    const chosen = recipients.filter(({ state }) => states?.includes(state) ?? true);
    yield heading + chosen.map(toText).join('');
    if (recipients.length < PIECE) return;
    after = last;
  }
}
