/**
 * Who may import whom, as in README's map. `importFaults` checks code only; `importCycleFaults` also
 * checks types.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** What each part may import; the longest matching prefix counts. */
const ALLOWED_IMPORTS = {
  'src/shared/': ['src/shared/'],
  'src/api/': ['src/api/', 'src/platform/plural.ts', 'src/platform/unit-text.ts'],
  'src/platform/': ['src/platform/'],
  'src/ui/': ['src/ui/', 'src/platform/plural.ts', 'src/platform/unit-text.ts'],
  'src/state/': ['src/state/', 'src/api/', 'src/platform/', 'src/shared/'],
  // Screens call state, never the API. They may read its errors, the rule that counts recipients,
  // the names of languages and the check-in's path.
  'src/screens/': [
    'src/screens/',
    'src/state/',
    'src/ui/',
    'src/platform/',
    'src/api/error.ts',
    'src/shared/check-in-page.ts',
    'src/shared/languages.ts',
    'src/shared/recipient-states.ts',
  ],
  'src/': ['src/'],
  // Page and worker share only files that need no page.
  'sw/': [
    'sw/',
    'src/shared/',
    'src/api/url.ts',
    'src/platform/click-listener-lock.ts',
    'src/platform/pause.ts',
    'src/platform/storage/receipt-queue.ts',
    'src/platform/storage/received.ts',
    'src/platform/push/web-push.ts',
  ],
  // A migration finds the calls for help among earlier answers.
  'server/db/': ['server/db/', 'src/shared/help-answers.ts'],
  'server/delivery/': [
    'server/delivery/',
    'server/db/',
    // A push is written in its person's language.
    'server/translation/message-translations.ts',
    'server/translation/translate.ts',
    'server/lib/backoff.ts',
    'server/lib/clock.ts',
    'server/lib/durations.ts',
    'server/lib/log.ts',
    'server/lib/loop.ts',
    'src/shared/',
  ],
  'server/': ['server/', 'src/shared/'],
};

const partOf = (file) =>
  Object.keys(ALLOWED_IMPORTS)
    .filter((part) => file.startsWith(part))
    .sort((one, other) => other.length - one.length)[0];
/** Targets of the alias table are packages, not our modules. */
const isOurs = (file) =>
  /^(src|sw|server)\//.test(file) &&
  !['src/platform/react/compat.ts', 'src/platform/react/signals.ts'].includes(file);

/** Every import that breaks a rule. Only the server may use the contract's schemas. */
export function importFaults({ app, worker, server }) {
  const faults = new Set();
  for (const metafile of [app, worker, server]) {
    for (const [file, { imports }] of Object.entries(metafile.inputs)) {
      if (!isOurs(file)) continue;
      for (const { path: to } of imports.filter((one) => !one.external && isOurs(one.path)))
        if (
          !ALLOWED_IMPORTS[partOf(file)].some((part) => to.startsWith(part)) ||
          (metafile !== server && to.startsWith('src/shared/contract/'))
        )
          faults.add(`${file} must not import ${to}`);
    }
  }
  return [...faults];
}

/** Matches `import … from`, `export … from` and `import(…)`, types included. */
const IMPORT_PATTERN =
  /^(?:import|export)\b[^;'"`]*?\bfrom\s*['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]/gm;
const FILE_ENDINGS = ['', '.ts', '.tsx', '.mjs'];

export function readImports(files, read = (file) => readFileSync(file, 'utf8')) {
  const knownFiles = new Set(files);
  const target = (file, name) =>
    FILE_ENDINGS.map((ending) => path.posix.join(path.posix.dirname(file), name) + ending).find(
      (one) => knownFiles.has(one),
    );
  return new Map(
    files.map((file) => [
      file,
      [...read(file).matchAll(IMPORT_PATTERN)]
        .map(([, direct, lazy]) => target(file, direct ?? lazy))
        .filter((to) => to !== undefined),
    ]),
  );
}

/** `src/state` for all files below that folder; a file beside folders is itself. */
export const getFolder = (file) => {
  const [part, folder, ...rest] = file.split('/');
  return rest.length > 0 ? `${part}/${folder}` : file;
};

export function importCycleFaults(imports) {
  const folders = new Map();
  for (const [file, targets] of imports) {
    const from = getFolder(file);
    const importedFolders = folders.get(from) ?? new Set();
    for (const to of targets.map(getFolder)) if (to !== from) importedFolders.add(to);
    folders.set(from, importedFolders);
  }
  return [...new Set([...findCycles(imports), ...findCycles(folders)])].map(
    (cyclePath) => `these import one another: ${cyclePath}`,
  );
}

/** One shortest cycle for each node on a cycle, without repeats. */
function findCycles(graph) {
  const reported = new Set();
  const cycles = [];
  for (const start of [...graph.keys()].sort()) {
    if (reported.has(start)) continue;
    const cycle = findCycle(graph, start);
    if (cycle === undefined) continue;
    for (const node of cycle) reported.add(node);
    cycles.push([...cycle, start].join(' → '));
  }
  return cycles;
}

function findCycle(graph, start) {
  const previousNode = new Map();
  const queue = [start];
  for (const node of queue)
    for (const next of graph.get(node) ?? []) {
      if (next === start) {
        const cyclePath = [node];
        while (cyclePath[0] !== start) cyclePath.unshift(previousNode.get(cyclePath[0]));
        return cyclePath;
      }
      if (previousNode.has(next)) continue;
      previousNode.set(next, node);
      queue.push(next);
    }
  return undefined;
}
