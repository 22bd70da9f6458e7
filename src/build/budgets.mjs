/**
 * The budgets that the build keeps, in brotli bytes: a technician's first load on a bad network is
 * what they protect. Raising one takes a commit of its own, with the reason.
 */
import path from 'node:path';
import { filesOf, SIGNED_IN } from './routes.mjs';

/**
 * RFC 6928: ten segments of 1,460 bytes are on their way before the first acknowledgement comes
 * back.
 */
const ONE_FLIGHT = 14_600;

/** Each budget with what is used of it. Takes what `build` resolves with. */
export function budgets({ outputs, sizes, precache, routes }) {
  const bytes = new Map(sizes.map(({ file, brotli }) => [path.basename(file), brotli]));
  const of = (source) => outputs.find(({ inputs }) => inputs[source]);
  /** All scripts that a screen needs, each once: what it imports, and what those import. */
  const needs = (sources) => {
    const seen = new Set();
    const visit = ({ file, imports }) => {
      const name = path.basename(file);
      if (seen.has(name)) return;
      seen.add(name);
      for (const { path: to, kind } of imports)
        if (kind === 'import-statement')
          visit(outputs.find((output) => path.basename(output.file) === path.basename(to)));
    };
    sources.map(of).forEach(visit);
    return [...seen].reduce((sum, name) => sum + (bytes.get(name) ?? 0), 0);
  };
  const shell = ['src/main.tsx', SIGNED_IN];
  const admin = Math.max(
    ...filesOf(routes, ({ access }) => access === 'admin').map((file) => needs([...shell, file])),
  );
  return [
    {
      name: 'D1 login: page, styles and script',
      bytes: bytes.get('index.html') + bytes.get(path.basename(of('src/main.tsx').file)),
      limit: ONE_FLIGHT,
    },
    { name: 'D2 technician: all script before push', bytes: needs(shell), limit: 20_000 },
    { name: 'D3 administrator: the largest screen', bytes: admin, limit: 30_000 },
    { name: 'D4 worker', bytes: bytes.get('firebase-messaging-sw.js'), limit: 25_000 },
    {
      name: `D5 precache: ${precache.length} files`,
      bytes: precache.reduce(
        (sum, { file, bytes: plain }) => sum + (bytes.get(path.basename(file)) ?? plain),
        0,
      ),
      limit: 150_000,
    },
  ];
}
