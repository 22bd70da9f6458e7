import { errorMessage } from '../../api/error';
import type { Template } from '../../shared/contract';
import { deleteTemplate, saveTemplate, TEMPLATE_SAVE_FAILED } from '../../state/messages/templates';
import { notify } from '../../ui/notices';
import { offerUndo } from '../../ui/undo';

/**
 * Deletes a template and offers to undo that. `onChosen` gets an empty id, then the restored one.
 * @throws ApiError
 */
export async function removeTemplate(
  { id, name, title, link, ...content }: Template,
  onChosen: (id: string) => void,
): Promise<void> {
  await deleteTemplate(id);
  onChosen('');
  offerUndo('Template deleted.', () => void restore());
  async function restore() {
    try {
      const savedTemplate = await saveTemplate({
        name,
        ...content,
        ...(title && { title }),
        ...(link && { link }),
      });
      onChosen(String(savedTemplate.id));
    } catch (thrown) {
      notify(errorMessage(thrown, TEMPLATE_SAVE_FAILED), 'bad');
    }
  }
}
