/**
 * `import { topicPageSchema } from '…/contract/topics' with { type: 'example' }` imports an example of
 * the schema instead of the schema. The app checks responses with it (`src/api/matches-example.ts`) and needs no
 * valibot.
 */
import path from 'node:path';
import * as v from 'valibot';
import { runBundled } from './bundling.mjs';

/** @type {import('esbuild').Plugin} */
export const examples = {
  name: 'examples',
  setup(build) {
    /** @type {Map<string, Promise<Record<string, v.GenericSchema>>>} */
    const files = new Map();
    // Script names are hashed from paths, which must not depend on the project's location.
    const root = build.initialOptions.absWorkingDir ?? process.cwd();
    build.onResolve(
      { filter: /\/contract\/[\w-]+$/ },
      ({ path: to, resolveDir, with: { type } }) =>
        type === 'example'
          ? {
              path: path.relative(root, path.join(resolveDir, `${to}.ts`)),
              namespace: 'examples',
              sideEffects: false,
            }
          : undefined,
    );
    build.onResolve({ filter: /^example:/ }, ({ path: name }) => ({
      path: name.slice('example:'.length),
      namespace: 'example',
      sideEffects: false,
    }));
    build.onLoad({ filter: /./, namespace: 'examples' }, async ({ path: file }) => {
      if (!files.has(file)) files.set(file, readSchemas(path.join(root, file)));
      const names = Object.keys(/** @type {object} */ (await files.get(file)));
      // A module for each, so that no file of the app holds unused examples.
      return {
        contents: names
          .map((name) => `export { default as ${name} } from 'example:${file}#${name}';`)
          .join('\n'),
      };
    });
    build.onLoad({ filter: /./, namespace: 'example' }, async ({ path: place }) => {
      const [file = '', name = ''] = place.split('#');
      const schema = (await files.get(file))?.[name];
      return { contents: `export default ${JSON.stringify(schema && createExample(schema))};` };
    });
  },
};

/**
 * @param {string} file
 * @returns {Promise<Record<string, v.GenericSchema>>}
 */
async function readSchemas(file) {
  const namedExports = Object.entries(await runBundled({ entryPoints: [file] }));
  return Object.fromEntries(
    namedExports.filter(([, exportedValue]) => exportedValue?.kind === 'schema'),
  );
}

/**
 * What `matchesExample` compares with. Null matches anything, as for times: the app shows rows without them.
 * @param {any} schema
 * @returns {unknown}
 */
function createExample(schema) {
  switch (schema.type) {
    case 'object':
    case 'loose_object':
      return Object.fromEntries(
        Object.entries(schema.entries)
          .map(([name, field]) => [field.wrapped ? `${name}?` : name, createExample(field)])
          .filter(([, example]) => example !== null),
      );
    case 'array':
      return [createExample(schema.item)];
    case 'record':
      return {};
    case 'exact_optional':
    case 'optional':
      return createExample(schema.wrapped);
    case 'nullable':
      // A missing text shows as a dash.
      return schema.wrapped.type === 'string' ? null : createExample(schema.wrapped);
    case 'string':
      return v.getMetadata(schema).format === 'date-time' ? null : '';
    case 'picklist':
      return '';
    case 'number':
      return 0;
    case 'boolean':
      return true;
    case 'literal':
      return typeof schema.literal === 'string' ? '' : schema.literal;
    default:
      return null;
  }
}
