import { errorMessage } from '../../api/error';
import type { Webhook } from '../../shared/contract';
import { DELETE_FAILED, deleteWebhook } from '../../state/setup/webhooks';
import { DialogForm } from '../../ui/DialogForm';
import { notify } from '../../ui/notices';

/** Asks before a webhook is deleted. */
export function DeleteWebhook({
  webhook: { id, url },
  onClose,
  onDone,
}: {
  webhook: Webhook;
  onClose: () => void;
  onDone: () => void;
}) {
  async function send() {
    await deleteWebhook(id);
    onDone();
    notify('Webhook deleted.');
  }
  return (
    <DialogForm
      title="Delete webhook"
      action="Delete"
      meanwhile="Deleting..."
      question={
        <>
          Delete the webhook <bdi>{url}</bdi>? It is not called any more, and its secret is of no
          use then.
        </>
      }
      send={send}
      explain={(thrown) => errorMessage(thrown, DELETE_FAILED)}
      onClose={onClose}
    />
  );
}
