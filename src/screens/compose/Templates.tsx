import { useState } from 'react';
import { errorMessage } from '../../api/error';
import type { Template } from '../../shared/contract';
import { hasDraftContent, type ComposedMessage } from '../../state/messages/composing';
import {
  TEMPLATE_DELETE_FAILED,
  readTemplates,
  TEMPLATES_FAILED,
} from '../../state/messages/templates';
import { lazy } from '../../ui/lazy';
import { notify } from '../../ui/notices';
import { useKeepFocus } from '../../ui/page';
import { offerUndo } from '../../ui/undo';
import { Select } from '../../ui/forms/Select';
import { useLoad } from '../lists/use-load';

const SaveTemplateDialog = lazy(() =>
  import('./SaveTemplateDialog').then((module) => module.SaveTemplateDialog),
);

/** The fields that a template and a message share. */
const getContent = ({
  title,
  message,
  link,
  priority,
  answers,
  helpAnswers,
  translations,
}: Template | ComposedMessage) => ({
  title: title ?? '',
  message,
  link: link ?? '',
  priority,
  answers,
  helpAnswers,
  translations,
});

/** Applies, saves and deletes templates. */
export function Templates({
  draft,
  onChange,
}: {
  draft: ComposedMessage;
  onChange: (part: Partial<ComposedMessage>) => void;
}) {
  const { value = [], failure, reload } = useLoad('', readTemplates, TEMPLATES_FAILED);
  const [id, setId] = useState('');
  const [saving, setSaving] = useState(false);
  const [busy, setBusy] = useState(false);
  useKeepFocus(id, busy);
  const chosenTemplate = value.find((template) => String(template.id) === id);
  const closeDialog = () => setSaving(false);

  /** The replaced draft can be restored. */
  function applyTemplate(templateId: string) {
    const template = value.find((entry) => String(entry.id) === templateId);
    setId(templateId);
    if (!template) return;
    const previousContent = getContent(draft);
    onChange(getContent(template));
    if (!hasDraftContent({ ...draft, to: [] })) return;
    offerUndo('The template replaced your draft.', () => {
      setId(id);
      onChange(previousContent);
    });
  }
  function finish(savedTemplate: Template) {
    setId(String(savedTemplate.id));
    reload();
    notify('Template saved.');
  }
  async function removeChosen(template: Template) {
    setBusy(true);
    try {
      const { removeTemplate } = await import('./remove-template');
      await removeTemplate(template, (restoredId) => {
        setId(restoredId);
        reload();
      });
    } catch (thrown) {
      notify(errorMessage(thrown, TEMPLATE_DELETE_FAILED), 'bad');
    }
    setBusy(false);
    reload();
  }
  return (
    <div className="templates full">
      <Select
        label="Template"
        name="template"
        options={[
          ['', 'None'],
          ...value.map((template) => [String(template.id), template.name] as const),
        ]}
        value={chosenTemplate ? id : ''}
        onChoose={applyTemplate}
      />
      {failure && (
        <small role="alert">
          {failure}{' '}
          <button type="button" className="quiet" onClick={reload}>
            Retry
          </button>
        </small>
      )}
      <button
        type="button"
        className="quiet"
        disabled={!draft.message.trim()}
        onClick={() => setSaving(true)}
      >
        Save as template
      </button>
      {chosenTemplate && (
        <button
          type="button"
          className="quiet"
          aria-busy={busy || undefined}
          disabled={busy}
          onClick={() => void removeChosen(chosenTemplate)}
        >
          Delete template
        </button>
      )}
      {saving && <SaveTemplateDialog draft={draft} onSaved={finish} onClose={closeDialog} />}
    </div>
  );
}
