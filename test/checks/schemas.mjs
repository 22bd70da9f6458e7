/**
 * Checks the operators' files against the published types of Grafana's dashboards and of the
 * Kubernetes API: unknown fields, missing fields, and values of a wrong type.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Each API group that the manifests use, and the package's module for it. */
const SCHEMA_MODULES = {
  'apps/v1': 'apps/v1',
  v1: 'core/v1',
  'policy/v1': 'policy/v1',
  'networking.k8s.io/v1': 'networking/v1',
};

/** @returns {string[]} faults of the dashboard and of the manifests */
export function schemaFaults() {
  const read = (/** @type {string} */ file) =>
    fs.readFileSync(path.join(root, 'server/deploy', file), 'utf8');
  const values = [
    {
      from: '@grafana/schema',
      type: 'Dashboard',
      value: JSON.parse(read('grafana-dashboard.json')),
    },
    ...parseAllDocuments(read('kubernetes.yaml')).map((document) => {
      const value = document.toJS();
      const module = SCHEMA_MODULES[value.apiVersion];
      if (document.errors.length > 0 || module === undefined)
        throw new Error(`kubernetes.yaml: ${document.errors[0] ?? value.apiVersion}`);
      return { from: `kubernetes-types/${module}`, type: value.kind, value };
    }),
  ];
  const lines = values.map(
    ({ from, type, value }, index) =>
      `import type { ${type} as T${index} } from '${from}';\nexport const value${index}: T${index} = ${JSON.stringify(value, null, 2)};`,
  );
  // The folder is below the packages that the module imports.
  const cache = path.join(root, 'test/node_modules/.cache');
  fs.mkdirSync(cache, { recursive: true });
  const folder = fs.mkdtempSync(path.join(cache, 'schemas-'));
  try {
    fs.writeFileSync(path.join(folder, 'values.ts'), `${lines.join('\n')}\n`);
    const options =
      '--strict --noEmit --skipLibCheck --ignoreConfig --module esnext --target es2022';
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        path.join(root, 'node_modules/typescript/bin/tsc'),
        ...`${options} --moduleResolution bundler values.ts`.split(' '),
      ],
      { cwd: folder, encoding: 'utf8' },
    );
    return status === 0 ? [] : `${stdout}\n${stderr}`.trim().split('\n');
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
