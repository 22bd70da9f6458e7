import { errorMessage } from '../../../api/error';
import type { Webhook } from '../../../shared/contract';
import { WEBHOOK_DELETE_FAILED, deleteWebhook } from '../../../state/setup/webhooks';
import { DialogForm } from '../../../ui/forms/DialogForm';
import { notify } from '../../../ui/notices';

export function DeleteWebhook({
  webhook: { id, url },
  onClose,
  onDone,
  onSettled,
}: {
  webhook: Webhook;
  onClose: () => void;
  onDone: () => void;
  /** Called after every attempt: the webhook may be deleted even after a failure. */
  onSettled: () => void;
}) {
  async function submit() {
    try {
      await deleteWebhook(id);
      onDone();
      notify('Webhook deleted.');
    } finally {
      onSettled();
    }
  }
  return (
    <DialogForm
      title="Delete webhook"
      action="Delete"
      busyText="Deleting…"
      question={
        <>
          Delete the webhook <bdi>{url}</bdi>? We’ll stop calling it, and its secret will stop
          working.
        </>
      }
      submit={submit}
      explain={(thrown) => errorMessage(thrown, WEBHOOK_DELETE_FAILED)}
      onClose={onClose}
    />
  );
}
