import type { FirstScreen, User } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { readMaySendField } from '../http/access/sender-rights';
import { listPreferences } from './preferences';
import { listSubscriptions } from './subscriptions';

/** Larger data is left out, because the sign-in must be fast. */
const MAX_FIRST_SCREEN_TOPICS = 500;
/** Characters of JSON: half a second on a bad network. */
const MAX_FIRST_SCREEN_CHARACTERS = 100_000;

/** Returns undefined for administrators, who have another first screen, and for large lists. */
export async function readFirstScreen(
  { id, role }: Pick<User, 'id' | 'role'>,
  db: Database,
): Promise<FirstScreen | undefined> {
  if (role === 'ADMIN') return undefined;
  const subscriptions = await listSubscriptions(id, db, MAX_FIRST_SCREEN_TOPICS + 1);
  const isLarge =
    subscriptions.length > MAX_FIRST_SCREEN_TOPICS ||
    JSON.stringify(subscriptions).length > MAX_FIRST_SCREEN_CHARACTERS;
  if (isLarge) return undefined;
  const preferences = await listPreferences(id, db);
  return { subscriptions, preferences, ...(await readMaySendField({ id, role }, db)) };
}
