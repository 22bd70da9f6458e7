import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { importCycleFaults, importFaults, readImports } from './import-rules.mjs';

const test = suite('import rules');

const circlesOf = (sources: Record<string, string>): string[] =>
  importCycleFaults(readImports(Object.keys(sources), (file: string) => sources[file] ?? ''));

test('accepts imports without cycles', () => {
  assert.equal(
    circlesOf({
      'src/state/a.ts': "import { b } from './b';\nimport { c } from '../api/c';",
      'src/state/b.ts': "import { c } from '../api/c';",
      'src/api/c.ts': "import { signal } from 'signals';",
    }),
    [],
  );
});

test('reports three files that import one another, with the path of the circle', () => {
  assert.equal(
    circlesOf({
      'src/state/a.ts': "import { b } from './b';",
      'src/state/b.ts': "export { c } from './c';",
      'src/state/c.ts': "export const c = () => import('./a');",
    }),
    ['these import one another: src/state/a.ts → src/state/b.ts → src/state/c.ts → src/state/a.ts'],
  );
});

test('reports a circle of types, also when an import spans several lines', () => {
  assert.equal(
    circlesOf({
      'src/ui/Table.tsx': "import type {\n  Action,\n  Row,\n} from './Page';",
      'src/ui/Page.tsx': "import { Table } from './Table';",
    }),
    ['these import one another: src/ui/Page.tsx → src/ui/Table.tsx → src/ui/Page.tsx'],
  );
});

test('reports two folders that import one another', () => {
  assert.equal(
    circlesOf({
      'src/state/a.ts': "import { b } from '../api/b';",
      'src/api/b.ts': '',
      'src/api/c.ts': "import type { D } from '../state/d';",
      'src/state/d.ts': '',
    }),
    ['these import one another: src/api → src/state → src/api'],
  );
});

test('rejects a screen that calls the API, not one that calls state', () => {
  const built = (to: string) => ({
    app: { inputs: { 'src/screens/users/Users.tsx': { imports: [{ path: to }] } } },
    worker: { inputs: {} },
    server: { inputs: {} },
  });
  assert.equal(importFaults(built('src/api/call.ts')), [
    'src/screens/users/Users.tsx must not import src/api/call.ts',
  ]);
  assert.equal(importFaults(built('src/state/users/users.ts')), []);
});

test('lets the app import types and examples of the contract, not its schemas', () => {
  const contract = 'src/shared/contract/topics.ts';
  const inputs = { 'src/state/topics/topics.ts': { imports: [{ path: contract }] } };
  const none = { inputs: {} };
  assert.equal(importFaults({ app: { inputs }, worker: none, server: none }), [
    `src/state/topics/topics.ts must not import ${contract}`,
  ]);
});

test.run();
