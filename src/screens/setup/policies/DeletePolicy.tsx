import { errorMessage } from '../../../api/error';
import type { Policy } from '../../../shared/contract';
import { POLICY_DELETE_FAILED, deletePolicy } from '../../../state/setup/policies';
import { discardDraftOfPolicy } from '../../../state/setup/policy-draft';
import { DialogForm } from '../../../ui/forms/DialogForm';
import { notify } from '../../../ui/notices';
import { countedNoun } from '../../../ui/lists/Pager';

/** Asks first, and says how many topics lose the policy. The server keeps that of check-ins. */
export function DeletePolicy({
  policy: { id, name, topics, isForCheckIns = false },
  onClose,
  onSettled,
}: {
  policy: Policy;
  onClose: () => void;
  /** Called after every attempt: the policy may be deleted even after a failure. */
  onSettled: () => void;
}) {
  async function submit() {
    try {
      await deletePolicy(id);
      discardDraftOfPolicy(id);
      notify('Policy deleted.');
    } finally {
      onSettled();
    }
  }
  return (
    <DialogForm
      title="Delete policy"
      action="Delete"
      busyText="Deleting…"
      disabled={isForCheckIns}
      question={
        isForCheckIns ? (
          'Check-in alarms use this policy. Please choose another policy in the check-in settings first.'
        ) : (
          <>
            Delete the policy “<bdi>{name}</bdi>”?{' '}
            {topics > 0
              ? `${countedNoun(topics, 'topic')} ${topics === 1 ? 'uses' : 'use'} it and will have no policy.`
              : 'No topics use it.'}{' '}
            Messages already sent or scheduled keep the policy.
          </>
        )
      }
      submit={submit}
      explain={(thrown) => errorMessage(thrown, POLICY_DELETE_FAILED)}
      onClose={onClose}
    />
  );
}
