/** Converts valibot's schemas to JSON Schema 2020-12, as in OpenAPI 3.1. */
import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { ConversionConfig, JsonSchema } from '@valibot/to-json-schema';
import { getMetadata } from 'valibot';
import type { GenericSchema } from 'valibot';
import type { DocumentedParameter } from './document';

export interface Schemas {
  components: Record<string, JsonSchema>;
  of(schema: GenericSchema): JsonSchema;
}

/**
 * @param namedSchemas become components
 * @param unnamedSchemas all other schemas that `of` will get
 */
export function convertSchemas(
  namedSchemas: Record<string, GenericSchema>,
  unnamedSchemas: Iterable<GenericSchema>,
): Schemas {
  const names = new Map(Object.entries(namedSchemas).map(([name, schema]) => [schema, name]));
  const keys = new Map<GenericSchema, string>();
  for (const schema of new Set(unnamedSchemas))
    if (!names.has(schema)) keys.set(schema, `without a name ${keys.size}`);
  const schemas = { ...namedSchemas };
  // A copy, or the converter would refer to it wherever it occurs.
  for (const [schema, key] of keys) schemas[key] = { ...schema };
  const jsonSchemas = toJsonSchemaDefs(schemas, config);
  const find = (key: string): JsonSchema => {
    const schema = jsonSchemas[key];
    if (schema === undefined) throw new Error(`No schema was converted for “${key}”.`);
    return schema;
  };
  return {
    components: Object.fromEntries(Object.keys(namedSchemas).map((name) => [name, find(name)])),
    of: (schema) => {
      const name = names.get(schema);
      return name === undefined ? find(keys.get(schema) ?? '') : { $ref: referenceTo(name) };
    },
  };
}

export function toParameter(
  schema: GenericSchema,
): Pick<DocumentedParameter, 'description' | 'schema' | 'example'> {
  const { $schema: _, description = '', ...rest } = toJsonSchema(schema, config);
  const { examples: [example] = [] } = getMetadata(schema) as { examples?: string[] };
  return { description, schema: rest, ...(example !== undefined && { example }) };
}

export const referenceTo = (name: string): string => `#/components/schemas/${name}`;

const config: ConversionConfig = {
  target: 'draft-2020-12',
  // Leaves out what JSON Schema lacks, such as trimming.
  errorMode: 'ignore',
  overrideRef: ({ referenceId }) => referenceTo(referenceId),
  overrideAction({ valibotAction, jsonSchema }) {
    if (valibotAction.type === 'safe_integer') return { type: 'integer' };
    // Bodies and responses have whole examples.
    if (valibotAction.type === 'metadata') return { ...jsonSchema, examples: undefined };
    const max = readMaximum(valibotAction);
    return max === undefined ? undefined : { ...jsonSchema, maxLength: max };
  },
  overrideSchema({ valibotSchema, jsonSchema }) {
    if (valibotSchema.type === 'nullable') return { ...jsonSchema, ...addNull(jsonSchema) };
    const { required, propertyNames, ...rest } = jsonSchema;
    // Names are always strings, and an empty `required` is redundant.
    if (propertyNames !== undefined || required?.length === 0) return rest;
    return undefined;
  },
};

/** The maximum of `hasAtMost` (`contract/fields.ts`), which counts code points like JSON Schema. */
function readMaximum(action: object): number | undefined {
  if (!('requirement' in action) || typeof action.requirement !== 'function') return undefined;
  const { requirement } = action;
  return 'most' in requirement && typeof requirement.most === 'number'
    ? requirement.most
    : undefined;
}

/** `type: ["string", "null"]` reads better than two alternatives. */
function addNull({ anyOf: [nonNullSchema] = [] }: JsonSchema): JsonSchema {
  if (
    typeof nonNullSchema !== 'object' ||
    typeof nonNullSchema.type !== 'string' ||
    nonNullSchema.enum
  )
    return {};
  return { ...nonNullSchema, type: [nonNullSchema.type, 'null'], anyOf: undefined };
}
