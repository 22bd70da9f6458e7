import { errorMessage } from '../../api/error';
import type { TopicKey } from '../../shared/contract';
import { KEY_REVOKE_FAILED, revokeTopicKey } from '../../state/topics/keys';
import { DialogForm } from '../../ui/forms/DialogForm';
import { notify } from '../../ui/notices';

export function RevokeKey({
  revoked: { id, name },
  onClose,
  onDone,
}: {
  revoked: TopicKey;
  onClose: () => void;
  /** Called afterwards: someone else may have revoked it. */
  onDone: () => void;
}) {
  async function submit() {
    try {
      await revokeTopicKey(id);
      notify('Key revoked.');
    } finally {
      onDone();
    }
  }
  return (
    <DialogForm
      title={
        <>
          Revoke <bdi>{name}</bdi>
        </>
      }
      action="Revoke"
      busyText="Revoking…"
      question="Machines that use this key can no longer send messages or report heartbeats."
      submit={submit}
      explain={(thrown) => errorMessage(thrown, KEY_REVOKE_FAILED)}
      onClose={onClose}
    />
  );
}
