/**
 * Who may import whom, as README's map says. `importFaults` is about code: types vanish in the
 * build. `circleFaults` is about the sources, types included: who reads one file of a circle has to
 * read all of them.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** For each part (the longest matching prefix counts) the parts of ours that it may use. */
const MAY = {
  'src/shared/': ['src/shared/'],
  'src/api/': ['src/api/'],
  'src/platform/': ['src/platform/'],
  'src/ui/': ['src/ui/'],
  'src/state/': ['src/state/', 'src/api/', 'src/platform/', 'src/shared/'],
  // Screens call verbs of state, never the API; what failed they may read, and the rule by which
  // states of recipients are counted.
  'src/screens/': [
    'src/screens/',
    'src/state/',
    'src/ui/',
    'src/platform/',
    'src/api/error.ts',
    'src/shared/recipient-states.ts',
  ],
  'src/': ['src/'],
  // What page and worker share is in files of their own, which need nothing of a page.
  'sw/': [
    'sw/',
    'src/shared/',
    'src/api/address.ts',
    'src/platform/listening.ts',
    'src/platform/storage/receipt-queue.ts',
    'src/platform/storage/received.ts',
    'src/platform/push/web-push.ts',
  ],
  'server/db/': ['server/db/'],
  'server/delivery/': [
    'server/delivery/',
    'server/db/',
    'server/lib/backoff.ts',
    'server/lib/clock.ts',
    'server/lib/log.ts',
    'server/lib/loop.ts',
    'src/shared/',
  ],
  'server/': ['server/', 'src/shared/'],
};

const partOf = (file) =>
  Object.keys(MAY)
    .filter((part) => file.startsWith(part))
    .sort((one, other) => other.length - one.length)[0];
/** The alias table's targets stand for packages: they count as no modules of ours. */
const isOurs = (file) =>
  /^(src|sw|server)\//.test(file) &&
  !['src/platform/react/compat.ts', 'src/platform/react/signals.ts'].includes(file);

/** Every import that breaks a rule, as a sentence. The contract's schemas are the server's alone. */
export function importFaults({ app, worker, server }) {
  const faults = new Set();
  for (const metafile of [app, worker, server]) {
    for (const [file, { imports }] of Object.entries(metafile.inputs)) {
      if (!isOurs(file)) continue;
      for (const { path: to } of imports.filter((one) => !one.external && isOurs(one.path)))
        if (
          !MAY[partOf(file)].some((part) => to.startsWith(part)) ||
          (metafile !== server && to.startsWith('src/shared/contract/'))
        )
          faults.add(`${file} must not import ${to}`);
    }
  }
  return [...faults];
}

/** What a source imports by `import … from`, `export … from` and `import(…)`, types included. */
const IMPORTED =
  /^(?:import|export)\b[^;'"`]*?\bfrom\s*['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]/gm;
const ENDINGS = ['', '.ts', '.tsx', '.mjs'];

/** All imports among `files`: a map of each file to those that it imports. */
export function readImports(files, read = (file) => readFileSync(file, 'utf8')) {
  const known = new Set(files);
  const target = (file, name) =>
    ENDINGS.map((ending) => path.posix.join(path.posix.dirname(file), name) + ending).find((one) =>
      known.has(one),
    );
  return new Map(
    files.map((file) => [
      file,
      [...read(file).matchAll(IMPORTED)]
        .map(([, direct, lazy]) => target(file, direct ?? lazy))
        .filter((to) => to !== undefined),
    ]),
  );
}

/** `src/state` for all files in and below that folder; a file that lies beside folders is itself. */
export const folderOf = (file) => {
  const [part, folder, ...rest] = file.split('/');
  return rest.length > 0 ? `${part}/${folder}` : file;
};

/** The circles among files, and those among folders, each as a sentence that shows the way round. */
export function circleFaults(imports) {
  const folders = new Map();
  for (const [file, targets] of imports) {
    const from = folderOf(file);
    const known = folders.get(from) ?? new Set();
    for (const to of targets.map(folderOf)) if (to !== from) known.add(to);
    folders.set(from, known);
  }
  return [...new Set([...circles(imports), ...circles(folders)])].map(
    (way) => `these import one another: ${way}`,
  );
}

/** One shortest way round for each node that lies on a circle, told once for each circle. */
function circles(graph) {
  const told = new Set();
  const ways = [];
  for (const start of [...graph.keys()].sort()) {
    if (told.has(start)) continue;
    const way = wayBack(graph, start);
    if (way === undefined) continue;
    for (const node of way) told.add(node);
    ways.push([...way, start].join(' → '));
  }
  return ways;
}

/** The nodes on the shortest way from `start` back to it, if there is one. */
function wayBack(graph, start) {
  const before = new Map();
  const queue = [start];
  for (const node of queue)
    for (const next of graph.get(node) ?? []) {
      if (next === start) {
        const way = [node];
        while (way[0] !== start) way.unshift(before.get(way[0]));
        return way;
      }
      if (before.has(next)) continue;
      before.set(next, node);
      queue.push(next);
    }
  return undefined;
}
