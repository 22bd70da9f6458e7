import { useState } from 'react';
import { errorMessage } from '../../api/error';
import type { Topic } from '../../shared/contract';
import { DialogForm } from '../../ui/forms/DialogForm';
import { notify } from '../../ui/notices';
import { TOPIC_SAVE_FAILED, saveTopic } from '../../state/topics/topics';
import { PolicyField } from '../setup/PolicyField';

/** Adds or edits a topic. */
export function TopicForm({
  topic,
  onClose,
  onDone,
}: {
  topic?: Topic;
  onClose: () => void;
  onDone: (id: number) => void;
}) {
  const [policyId, setPolicyId] = useState(topic?.policyId);
  async function submit({ title = '', description = '' }: Record<string, string>) {
    const id = await saveTopic(topic?.id, {
      title: title.trim(),
      description: description.trim(),
      // The form sends no unchanged policy, because the policy may have changed on the server.
      ...(policyId !== undefined && policyId !== topic?.policyId && { policyId }),
    });
    onDone(id);
    notify(topic ? 'Changes saved.' : 'Topic added.');
  }
  return (
    <DialogForm
      title={topic ? 'Edit Topic' : 'Add Topic'}
      action={topic ? 'Save Changes' : 'Add Topic'}
      busyText={topic ? 'Saving…' : 'Adding…'}
      submit={submit}
      explain={(thrown) =>
        errorMessage(thrown, topic ? TOPIC_SAVE_FAILED.edit : TOPIC_SAVE_FAILED.add)
      }
      onClose={onClose}
    >
      {(invalid) => (
        <>
          <label>
            Title
            <input
              type="text"
              name="title"
              autoComplete="off"
              dir="auto"
              required
              defaultValue={topic?.title}
              {...invalid('title')}
            />
          </label>
          <label>
            Description
            <textarea
              name="description"
              rows={3}
              dir="auto"
              required
              defaultValue={topic?.description}
              {...invalid('description')}
            />
          </label>
          <PolicyField value={policyId} onChoose={setPolicyId} invalid={invalid('policyId')} />
        </>
      )}
    </DialogForm>
  );
}
