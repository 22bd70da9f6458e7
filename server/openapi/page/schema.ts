import type { JsonSchema } from '@valibot/to-json-schema';
import { html, joinHtml, formatProse } from './html';
import type { Html } from './html';

export const getSchemaName = ($ref: string): string => $ref.split('/').at(-1) ?? '';

export function describeSchema(schema: JsonSchema | boolean | undefined): Html {
  if (typeof schema !== 'object') return html`anything`;
  const { $ref, anyOf, type, items } = schema;
  if ($ref !== undefined)
    return html`<a href="#shape-${getSchemaName($ref)}">${getSchemaName($ref)}</a>`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum)
    return joinAlternatives(schema.enum.map((value) => html`<code>${String(value)}</code>`));
  if (anyOf) return joinAlternatives(anyOf.map(describeSchema));
  if (Array.isArray(type))
    return joinAlternatives(
      type.map((itemType) => describeSchema({ ...schema, type: itemType, anyOf: undefined })),
    );
  if (type === 'array')
    return html`list of ${describeSchema(Array.isArray(items) ? undefined : items)}${describeBounds(schema.minItems, schema.maxItems, 'items')}`;
  if (type === 'object' && schema.additionalProperties)
    return html`object of ${describeSchema(schema.additionalProperties)}`;
  if (type === 'string')
    return html`${FORMATS[schema.format ?? ''] ?? 'text'}${describeBounds(schema.minLength, schema.maxLength, 'characters')}`;
  if (type === 'integer' || type === 'number')
    return html`number${describeBounds(schema.minimum, schema.maximum)}`;
  return html`${type ?? 'anything'}`;
}

const FORMATS: Record<string, string> = {
  'date-time': 'time',
  email: 'email address',
  uri: 'URL',
  uuid: 'UUID',
};

const joinAlternatives = (parts: readonly Html[]): Html => joinHtml(parts, ' or ');

function describeBounds(min: number | undefined, max: number | undefined, unit = ''): string {
  const [from, to] = [min?.toLocaleString('en'), max?.toLocaleString('en')];
  if (to === undefined) return min ? `, at least ${describeCount(from, unit)}` : '';
  return min === undefined
    ? `, at most ${describeCount(to, unit)}`
    : `, ${from} to ${describeCount(to, unit)}`;
}

/** `1 item`, `3 items`, and without a unit the number alone. */
const describeCount = (number: string | undefined, unit: string): string =>
  unit === '' ? `${number}` : `${number} ${number === '1' ? unit.slice(0, -1) : unit}`;

function describedItems(schema: JsonSchema | boolean | undefined): JsonSchema | undefined {
  if (typeof schema !== 'object') return undefined;
  if (schema.properties) return schema;
  if (schema.anyOf) return schema.anyOf.map(describedItems).find((one) => one !== undefined);
  return Array.isArray(schema.items) ? undefined : describedItems(schema.items);
}

export function listFields(schema: JsonSchema | boolean | undefined): Html | undefined {
  const objectSchema = describedItems(schema);
  if (objectSchema === undefined) return undefined;
  const { properties = {}, required = [] } = objectSchema;
  const fields = Object.entries(properties).map(([name, field]) => {
    const isRequired = required.includes(name);
    return describeField(name, field, isRequired);
  });
  return html`<ul class="fields">${fields}</ul>`;
}

export function describeField(
  name: string,
  schema: JsonSchema | boolean,
  isRequired: boolean,
): Html {
  const text = typeof schema === 'object' ? schema.description : undefined;
  return html`<li><code>${name}</code> <span class="kind">${describeSchema(schema)}${isRequired ? '' : ', optional'}</span>${text && html` <span>${formatProse(text)}</span>`}${listFields(schema)}</li>`;
}
