/** How many people a message would go to. */
import { audienceSchema } from '../../shared/contract/messages' with { type: 'example' };
import { call } from '../../api/call';
import type { Audience, Priority } from '../../shared/contract';
import { isAdmin, sessionClaims } from '../session';
import { composedAudience, type ComposedMessage } from './composing';

export const AUDIENCE_COUNT_FAILED = 'Failed to count the recipients.';

export async function countComposedAudience(
  to: ComposedMessage['to'],
  priority: Priority = 'normal',
): Promise<Audience> {
  if (!to.length) return { people: 0, reachable: 0, muted: 0, unreachable: 0, held: 0 };
  return call(isAdmin.peek() ? 'POST /api/admin/messages/audience' : 'POST /api/sending/audience', {
    body: { ...composedAudience(to), priority },
    fallback: AUDIENCE_COUNT_FAILED,
    like: audienceSchema,
  });
}

/** Whether this person has a device that would be notified, now or after quiet hours. */
export async function hasOwnDevice(priority: Priority): Promise<boolean> {
  const oneself = { kind: 'person', id: sessionClaims.peek()?.id ?? 0, name: '' } as const;
  const { reachable, held } = await countComposedAudience([oneself], priority);
  return reachable + held > 0;
}
