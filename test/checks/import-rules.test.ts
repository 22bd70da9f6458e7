import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { circleFaults, importFaults, readImports } from './import-rules.mjs';

const test = suite('import rules');

/** Faults of sources that are given by their names. */
const circlesOf = (sources: Record<string, string>): string[] =>
  circleFaults(readImports(Object.keys(sources), (file: string) => sources[file] ?? ''));

test('imports that lead nowhere back are no circle', () => {
  assert.equal(
    circlesOf({
      'src/state/a.ts': "import { b } from './b';\nimport { c } from '../api/c';",
      'src/state/b.ts': "import { c } from '../api/c';",
      'src/api/c.ts': "import { signal } from 'signals';",
    }),
    [],
  );
});

test('three files that import one another in a circle are told with the way round', () => {
  assert.equal(
    circlesOf({
      'src/state/a.ts': "import { b } from './b';",
      'src/state/b.ts': "export { c } from './c';",
      'src/state/c.ts': "export const c = () => import('./a');",
    }),
    ['these import one another: src/state/a.ts → src/state/b.ts → src/state/c.ts → src/state/a.ts'],
  );
});

test('a circle of types alone is one, also where the import takes several lines', () => {
  assert.equal(
    circlesOf({
      'src/ui/Table.tsx': "import type {\n  Action,\n  Row,\n} from './Page';",
      'src/ui/Page.tsx': "import { Table } from './Table';",
    }),
    ['these import one another: src/ui/Page.tsx → src/ui/Table.tsx → src/ui/Page.tsx'],
  );
});

test('two folders that import one another are told although no file is on a circle', () => {
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

test('a screen that calls the API breaks the rules, and one that calls a verb of state does not', () => {
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

test('the app takes types and examples of the contract, never its schemas', () => {
  const contract = 'src/shared/contract/topics.ts';
  const inputs = { 'src/state/topics/topics.ts': { imports: [{ path: contract }] } };
  const none = { inputs: {} };
  assert.equal(importFaults({ app: { inputs }, worker: none, server: none }), [
    `src/state/topics/topics.ts must not import ${contract}`,
  ]);
});

test.run();
