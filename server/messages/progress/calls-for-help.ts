/** Messages whose recipients need help, as the app shows them in red. */
import { sql } from 'kysely';
import { HELP_OPEN_AFTER_EXPIRY_MS } from '../../../src/shared/recipient-states';
import { isCallForHelp, storeHelpAnswers } from '../../escalation/count-answered';

/**
 * Whether people still need help. Only people of messages that offer such an answer, and are not
 * over, are searched.
 */
export const hasOpenCallsForHelp = (now: number) =>
  sql<boolean>`messages.all_clear_at is null and messages.resolved_at is null
    and messages.expires_at > ${now - HELP_OPEN_AFTER_EXPIRY_MS}
    and messages.help_answers not in ('', ${sql.lit(storeHelpAnswers([]))})
    and exists (select 1 from recipients where recipients.message_id = messages.id
      and ${isCallForHelp(sql`messages.help_answers`)})`;
