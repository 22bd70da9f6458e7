/** What a person's first screen shows, which the answer to their sign-in brings along. */
import type { FirstScreen, User } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { listPreferences } from './preferences';
import { listSubscriptions } from './subscriptions';

/** Of more topics, or longer text, none is brought along: the answer that signs in comes first. */
const MOST_TOPICS = 500;
/** As JSON, in characters: half a second on a bad network. */
const MOST_TEXT = 100_000;

/** Undefined for administrators, who begin elsewhere, and where it would be large. */
export async function readFirstScreen(
  { id, role }: Pick<User, 'id' | 'role'>,
  db: Database,
): Promise<FirstScreen | undefined> {
  if (role === 'ADMIN') return undefined;
  const subscriptions = await listSubscriptions(id, db, MOST_TOPICS + 1);
  const isLarge =
    subscriptions.length > MOST_TOPICS || JSON.stringify(subscriptions).length > MOST_TEXT;
  return isLarge ? undefined : { subscriptions, preferences: await listPreferences(id, db) };
}
