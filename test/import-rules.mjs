/**
 * Who may import whom, as README's map says. Types vanish in the build, so they are free: these rules are about code.
 */

/** For each part (the longest matching prefix counts) the parts of ours that it may use. */
const MAY = {
  'src/contract.ts': [],
  'src/push-message.ts': [],
  'src/shapes.ts': [],
  'src/admin-shapes.ts': ['src/shapes.ts'],
  'src/platform/': ['src/platform/'],
  'src/api.ts': [],
  'src/ui/': ['src/ui/'],
  'src/state/': ['src/state/', 'src/api.ts', 'src/platform/', 'src/shapes.ts'],
  'src/screens/': ['src/screens/', 'src/state/', 'src/ui/', 'src/api.ts', 'src/shapes.ts', 'src/admin-shapes.ts'],
  'src/': ['src/'],
  'sw/': ['sw/', 'src/push-message.ts'],
  'server/db/': ['server/db/'],
  'server/delivery/': ['server/delivery/', 'server/db/', 'server/log.ts', 'src/push-message.ts'],
  'server/': ['server/', 'src/push-message.ts'],
};
/** Among the states one way only: the later may use the earlier. */
const STATES = ['session', 'session-end', 'registration', 'permission', 'subscriptions', 'all-devices', 'maintenance'];

const partOf = (file) =>
  Object.keys(MAY)
    .filter((part) => file.startsWith(part))
    .sort((one, other) => other.length - one.length)[0];
/** The alias table's targets stand for packages: they are nobody's modules of ours. */
const isOurs = (file) => /^(src|sw|server)\//.test(file) && !['src/platform/compat.ts', 'src/platform/signals.ts'].includes(file);

/** Every import that breaks a rule, as a sentence. */
export function importFaults({ app, worker, server }) {
  const faults = new Set();
  for (const metafile of [app, worker, server]) {
    for (const [file, { imports }] of Object.entries(metafile.inputs)) {
      if (!isOurs(file)) continue;
      for (const { path: to } of imports.filter((one) => !one.external && isOurs(one.path))) {
        if (!MAY[partOf(file)].some((part) => to.startsWith(part))) faults.add(`${file} must not import ${to}`);
        const [from, target] = [file, to].map((name) => STATES.findIndex((state) => name === `src/state/${state}.ts`));
        if (from >= 0 && target > from) faults.add(`${file} must not import ${to}: it comes later`);
      }
    }
  }
  return [...faults];
}
