import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import {
  NO_SUCH_TEMPLATE,
  TEMPLATES_LOCK,
  addTemplate,
  changeTemplate,
  deleteTemplate,
  listTemplates,
} from './templates';

export function addTemplateRoutes(add: AddRoute, { db }: Services): void {
  add('GET /api/admin/templates', {
    action: 'templates.read',
    respond: async () => ({ templates: await listTemplates(db) }),
  });
  add('POST /api/admin/templates', {
    action: 'templates.change',
    status: 201,
    respond: ({ body, transact }) =>
      transact((transaction) => addTemplate(body, transaction), { lock: TEMPLATES_LOCK }),
  });
  add('PUT /api/admin/templates/:id', {
    action: 'templates.change',
    respond: ({ params, body, transact }) =>
      transact(
        (transaction) => changeTemplate(readId(params.id, NO_SUCH_TEMPLATE), body, transaction),
        { lock: TEMPLATES_LOCK },
      ),
  });
  add('DELETE /api/admin/templates/:id', {
    action: 'templates.change',
    respond: async ({ params, transact }) => {
      await transact((transaction) =>
        deleteTemplate(readId(params.id, NO_SUCH_TEMPLATE), transaction),
      );
      return { message: 'The template was deleted.' };
    },
  });
}
