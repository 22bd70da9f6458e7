import type { SentMessage } from '../../../shared/contract';
import { getMessageArea } from '../../../state/messages/call-area';
import { needsReview } from '../../../state/messages/needs-review';
import { notifyAgain } from '../../../state/messages/sent-messages';
import { notify } from '../../../ui/notices';
import { peopleCount } from '../message-texts';

/**
 * Notifies again after the seconds to undo it, and says how many people.
 * @returns whether anyone was notified; undefined if it was undone
 * @throws {ApiError}
 */
export async function notifyAndAnnounce({
  message,
  count,
  user,
  state,
}: {
  message: SentMessage;
  count: number | undefined;
  user: { id: number; username: string } | undefined;
  state: string | false | undefined;
}): Promise<boolean | undefined> {
  if (!user && needsReview(count, message.priority)) {
    const { countDown } = await import('../../compose/review/review');
    if (!(await countDown('notify-again'))) return undefined;
  }
  const notifiedCount = await notifyAgain(getMessageArea(message), message.id, {
    ...(user && { userIds: [user.id] }),
    ...(state && { state }),
  });
  if (notifiedCount > 0)
    notify(`Notifying ${user ? user.username : peopleCount(notifiedCount)} again.`, '');
  else
    notify(
      user
        ? `${user.username} won’t be notified again. A notification may still be on its way, they may be in quiet hours, or they aren’t reachable.`
        : 'No one will be notified again. Notifications may still be on their way, people may be in quiet hours, or no one is reachable.',
      'warn',
    );
  return notifiedCount > 0;
}
