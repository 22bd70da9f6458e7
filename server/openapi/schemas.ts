/** From valibot's schemas to JSON Schema 2020-12, which OpenAPI 3.1 has. */
import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { ConversionConfig, JsonSchema } from '@valibot/to-json-schema';
import { getMetadata } from 'valibot';
import type { GenericSchema } from 'valibot';
import type { DocumentedParameter } from './document';

export interface Schemas {
  /** Those with a name. */
  components: Record<string, JsonSchema>;
  /** A reference for a schema that has a name, itself for any other that was given. */
  of(schema: GenericSchema): JsonSchema;
}

/** @param named become components @param others all other schemas that `of` is asked for */
export function convert(
  named: Record<string, GenericSchema>,
  others: Iterable<GenericSchema>,
): Schemas {
  const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));
  const keys = new Map<GenericSchema, string>();
  for (const schema of new Set(others))
    if (!names.has(schema)) keys.set(schema, `without a name ${keys.size}`);
  const given = { ...named };
  // A copy, as what is given here is referred to wherever it occurs in others.
  for (const [schema, key] of keys) given[key] = { ...schema };
  const converted = toJsonSchemaDefs(given, config);
  const find = (key: string): JsonSchema => {
    const schema = converted[key];
    if (schema === undefined) throw new Error(`No schema was converted for “${key}”.`);
    return schema;
  };
  return {
    components: Object.fromEntries(Object.keys(named).map((name) => [name, find(name)])),
    of: (schema) => {
      const name = names.get(schema);
      return name === undefined ? find(keys.get(schema) ?? '') : { $ref: referenceTo(name) };
    },
  };
}

/** A part of a path, or of what comes behind it. */
export function parameterOf(
  schema: GenericSchema,
): Pick<DocumentedParameter, 'description' | 'schema' | 'example'> {
  const { $schema: _, description = '', ...rest } = toJsonSchema(schema, config);
  const { examples: [example] = [] } = getMetadata(schema) as { examples?: string[] };
  return { description, schema: rest, ...(example !== undefined && { example }) };
}

export const referenceTo = (name: string): string => `#/components/schemas/${name}`;

const config: ConversionConfig = {
  target: 'draft-2020-12',
  // What has no word in JSON Schema (a check of ours, trimming) is left out.
  errorMode: 'ignore',
  overrideRef: ({ referenceId }) => referenceTo(referenceId),
  overrideAction({ valibotAction, jsonSchema }) {
    if (valibotAction.type === 'safe_integer') return { type: 'integer' };
    // A body and an answer have theirs as a whole.
    if (valibotAction.type === 'metadata') return { ...jsonSchema, examples: undefined };
    const most = mostOf(valibotAction);
    return most === undefined ? undefined : { ...jsonSchema, maxLength: most };
  },
  overrideSchema({ valibotSchema, jsonSchema }) {
    if (valibotSchema.type === 'nullable') return { ...jsonSchema, ...withNull(jsonSchema) };
    const { required, propertyNames, ...rest } = jsonSchema;
    // Every name is text, and no names are as good as none.
    if (propertyNames !== undefined || required?.length === 0) return rest;
    return undefined;
  },
};

/** `isWithin` of `lib/fields.ts` says how many characters it allows; both count code points. */
function mostOf(action: object): number | undefined {
  if (!('requirement' in action) || typeof action.requirement !== 'function') return undefined;
  const { requirement } = action;
  return 'most' in requirement && typeof requirement.most === 'number'
    ? requirement.most
    : undefined;
}

/** `type: ["string", "null"]` is easier to read than two alternatives, where it can be said so. */
function withNull({ anyOf: [inner] = [] }: JsonSchema): JsonSchema {
  if (typeof inner !== 'object' || typeof inner.type !== 'string' || inner.enum) return {};
  return { ...inner, type: [inner.type, 'null'], anyOf: undefined };
}
