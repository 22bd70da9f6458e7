import { errorMessage } from '../../api/error';
import { notify } from '../../ui/notices';

/**
 * Waits for a change, and shows a failure as a notice.
 * @returns whether it succeeded
 */
export async function notifyIfFailed(
  change: Promise<unknown>,
  message: string,
  onDone: () => void,
): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (thrown) {
    notify(errorMessage(thrown, message), 'bad');
    return false;
  } finally {
    onDone();
  }
}
