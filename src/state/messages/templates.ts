import { templateSchema, templatesSchema } from '../../shared/contract/messages' with {
  type: 'example',
};
import { call } from '../../api/call';
import type { NewTemplate, Template } from '../../shared/contract';

export const TEMPLATES_FAILED = 'Failed to load templates.';
export const TEMPLATE_SAVE_FAILED = 'Failed to save the template.';
export const TEMPLATE_DELETE_FAILED = 'Failed to delete the template.';

export const readTemplates = async (): Promise<readonly Template[]> =>
  (await call('GET /api/admin/templates', { fallback: TEMPLATES_FAILED, like: templatesSchema }))
    .templates;

export const saveTemplate = (body: NewTemplate): Promise<Template> =>
  call('POST /api/admin/templates', { body, fallback: TEMPLATE_SAVE_FAILED, like: templateSchema });

export const deleteTemplate = (id: number): Promise<unknown> =>
  call('DELETE /api/admin/templates/:id', { params: { id }, fallback: TEMPLATE_DELETE_FAILED });
