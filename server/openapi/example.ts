import * as v from 'valibot';

export function createExample(schema: v.GenericSchema): unknown {
  const { examples = [] } = v.getMetadata(schema) as { examples?: readonly unknown[] };
  if (examples.length > 0) return examples[0];
  return createWholeExample(schema as ExampleSchema);
}

type ExampleSchema =
  | v.ObjectSchema<v.ObjectEntries, undefined>
  | v.LooseObjectSchema<v.ObjectEntries, undefined>
  | v.ArraySchema<v.GenericSchema, undefined>
  | v.NullableSchema<v.GenericSchema, undefined>
  | v.ExactOptionalSchema<v.GenericSchema, undefined>
  | v.OptionalSchema<v.GenericSchema, undefined>
  | v.PicklistSchema<readonly string[], undefined>
  | v.LiteralSchema<string | boolean, undefined>
  | v.UnionSchema<v.GenericSchema[], undefined>
  | v.RecordSchema<v.StringSchema<undefined>, v.GenericSchema, undefined>
  | v.BooleanSchema<undefined>
  | v.NumberSchema<undefined>
  | v.StringSchema<undefined>;

function createWholeExample(schema: ExampleSchema): unknown {
  switch (schema.type) {
    case 'object':
    case 'loose_object':
      return Object.fromEntries(
        Object.entries(schema.entries)
          .filter(([, field]) => !field.type.endsWith('optional') || isGiven(field))
          .map(([name, field]) => [name, createExample(field)]),
      );
    case 'array':
      return [createExample(schema.item)];
    case 'nullable':
      return isGiven(schema) ? createExample(schema.wrapped) : null;
    case 'exact_optional':
    case 'optional':
      return createExample(schema.wrapped);
    case 'picklist':
      return schema.options[0];
    case 'literal':
      return schema.literal;
    case 'union':
      return schema.options[0] && createExample(schema.options[0]);
    case 'record':
      return {};
    case 'boolean':
      return true;
    case 'number':
      return 1;
    default:
      return '';
  }
}

/** Whether an optional field appears in examples. */
function isGiven(schema: v.GenericSchema): boolean {
  if ('examples' in v.getMetadata(schema)) return true;
  const { wrapped, entries } = schema as { wrapped?: v.GenericSchema; entries?: object };
  return wrapped === undefined ? entries !== undefined : isGiven(wrapped);
}
