import type { Transaction } from 'kysely';
import type { NewTemplate, Template } from '../../src/shared/contract';
import { recordAudit } from '../audit/record-audit';
import type { Database } from '../db/open';
import type { Tables, TemplateRow } from '../db/schema';
import { conflictError, notFoundError } from '../http/errors';
import { readTranslations, storeTranslations } from '../translation/message-translations';
import { requireMatchingAnswers } from '../messages/sending/matching-answers';
import { foldCase } from '../../src/shared/case-fold';

const MAX_TEMPLATES = 200;
/** Adding or renaming a template holds this lock: number and names are checked together. */
export const TEMPLATES_LOCK = 'templates';
export const NO_SUCH_TEMPLATE = 'This template does not exist.';

/** Sorts templates by name, ignoring case. */
export async function listTemplates(db: Database): Promise<Template[]> {
  const rows = await db.selectFrom('templates').selectAll().orderBy('id').execute();
  const keys = new Map(rows.map(({ id, name }) => [id, foldCase(name)]));
  return rows
    .map(toTemplate)
    .sort(({ id: a }, { id: b }) =>
      (keys.get(a) ?? '').localeCompare(keys.get(b) ?? '', 'en', { numeric: true }),
    );
}

/** @throws HttpError 409 if the name is taken, or there are too many */
export async function addTemplate(
  template: NewTemplate,
  transaction: Transaction<Tables>,
): Promise<Template> {
  requireMatchingAnswers(template);
  const rows = await readNames(transaction);
  requireFree(template.name, rows);
  if (rows.length >= MAX_TEMPLATES)
    throw conflictError(`There are already ${MAX_TEMPLATES} templates. Please delete one first.`);
  const row = await transaction
    .insertInto('templates')
    .values(toValues(template))
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAudit({ action: 'template.add', on: row.name }, transaction);
  return toTemplate(row);
}

/**
 * A missing field becomes empty.
 * @throws HttpError 404; 409 if the name is taken
 */
export async function changeTemplate(
  id: number,
  template: NewTemplate,
  transaction: Transaction<Tables>,
): Promise<Template> {
  requireMatchingAnswers(template);
  const rows = await readNames(transaction);
  if (!rows.some((each) => each.id === id)) throw notFoundError(NO_SUCH_TEMPLATE);
  const otherTemplates = rows.filter((other) => other.id !== id);
  requireFree(template.name, otherTemplates);
  const row = await transaction
    .updateTable('templates')
    .set(toValues(template))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw notFoundError(NO_SUCH_TEMPLATE);
  await recordAudit({ action: 'template.change', on: row.name }, transaction);
  return toTemplate(row);
}

/** @throws HttpError 404 */
export async function deleteTemplate(id: number, transaction: Transaction<Tables>): Promise<void> {
  const deletedTemplate = await transaction
    .deleteFrom('templates')
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst();
  if (deletedTemplate === undefined) throw notFoundError(NO_SUCH_TEMPLATE);
  await recordAudit({ action: 'template.delete', on: deletedTemplate.name }, transaction);
}

const readNames = (transaction: Transaction<Tables>) =>
  transaction.selectFrom('templates').select(['id', 'name']).execute();

/** Names identify templates, ignoring case. */
function requireFree(name: string, otherTemplates: readonly { name: string }[]): void {
  const key = foldCase(name);
  if (otherTemplates.some((template) => foldCase(template.name) === key))
    throw conflictError('Another template already has this name.', 'name');
}

const toValues = ({
  name,
  message,
  title,
  link,
  priority,
  answers,
  helpAnswers,
  translations,
}: NewTemplate) => ({
  name,
  title: title || null,
  text: message,
  priority: priority ?? 'normal',
  answers: JSON.stringify(answers ?? []),
  help_answers: helpAnswers === undefined ? null : JSON.stringify(helpAnswers),
  translations: storeTranslations(translations),
  link: link || null,
});

const toTemplate = ({
  id,
  name,
  title,
  text,
  priority,
  answers,
  help_answers,
  translations,
  link,
}: TemplateRow): Template => ({
  id,
  name,
  title,
  message: text,
  priority,
  answers: JSON.parse(answers) as string[],
  ...(help_answers !== null && { helpAnswers: JSON.parse(help_answers) as string[] }),
  ...(translations !== null && { translations: readTranslations(translations) }),
  link,
});
