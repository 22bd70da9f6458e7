import type { User } from '../../shared/contract';
import { changeSuspension, suspensionFailed } from '../../state/users/change-users';
import { offerUndo } from '../../ui/undo';
import { notifyIfFailed } from '../lists/notify-if-failed';

/** Asks no question: nothing is lost, as Undo suspends the user again. */
export async function reinstate(user: User, onDone: () => void): Promise<void> {
  const { username } = user;
  const change = (to: 'suspend' | 'reinstate') =>
    notifyIfFailed(changeSuspension(user, to), suspensionFailed(user, to), onDone);
  if (await change('reinstate'))
    offerUndo(`${username} is reinstated.`, () => void change('suspend'), 'ok');
}
