import { errorMessage } from '../../api/error';
import type { Template } from '../../shared/contract';
import { type ComposedMessage, withHelpAnswers } from '../../state/messages/composing';
import { saveTemplate, TEMPLATE_SAVE_FAILED } from '../../state/messages/templates';
import { DialogForm } from '../../ui/forms/DialogForm';

interface Props {
  draft: ComposedMessage;
  onSaved: (template: Template) => void;
  onClose: () => void;
}

/** Asks for a name, and saves the message's content as a template. */
export function SaveTemplateDialog({ draft, onSaved, onClose }: Props) {
  const { title, message, link, priority, answers, helpAnswers, translations } = draft;
  const save = async ({ name = '' }: Record<string, string>) =>
    onSaved(
      await saveTemplate({
        name: name.trim(),
        message: message.trim(),
        ...(title.trim() && { title: title.trim() }),
        ...(link.trim() && { link: link.trim() }),
        priority,
        ...withHelpAnswers(answers, helpAnswers),
        ...(translations && { translations }),
      }),
    );
  return (
    <DialogForm
      title="Save as template"
      action="Save template"
      busyText="Saving…"
      submit={save}
      explain={(thrown) => errorMessage(thrown, TEMPLATE_SAVE_FAILED)}
      onClose={onClose}
    >
      {(invalid) => (
        <label>
          Name
          <input
            type="text"
            name="name"
            autoComplete="off"
            dir="auto"
            required
            maxLength={100}
            defaultValue={title.trim()}
            {...invalid('name')}
          />
        </label>
      )}
    </DialogForm>
  );
}
