/** Licenses of packages, and advisories against them. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';

/** Licenses allowed for what browsers or operators receive. */
const ALLOWED_LICENSES = new Set([
  'MIT',
  'MIT-0',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  '0BSD',
  'CC0-1.0',
  'BlueOak-1.0.0',
  'Unlicense',
  'MPL-2.0',
  'Python-2.0',
  'CC-BY-4.0',
  'Zlib',
]);
/** Severities not allowed in shipped packages. */
const SEVERE_LEVELS = ['high', 'critical'];

/** The `node_modules/…` folder of the package a file belongs to. */
const folderOf = (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];

/**
 * Every package of the lock file, with its license (an SPDX expression) and whether it ships: in
 * the server's `node_modules`, the app, the worker or the style sheet.
 * @param builds what `build` resolved with, for each kind of build
 */
export async function listPackages(root, builds) {
  const lockFile = JSON.parse(await fs.readFile(path.join(root, 'package-lock.json'), 'utf8'));
  const inApp = new Set(
    builds
      .flatMap(({ app, worker }) => [app, worker])
      .flatMap(({ inputs }) => Object.keys(inputs))
      .map(folderOf),
  );
  inApp.add('node_modules/@picocss/pico'); // through Sass, which esbuild does not see
  const folders = Object.keys(lockFile.packages).filter((folder) =>
    folder.startsWith('node_modules/'),
  );
  return Promise.all(
    folders.map(async (folder) => {
      // Packages for other systems are in the lock file but not installed.
      const installed = await fs
        .readFile(path.join(root, folder, 'package.json'), 'utf8')
        .then(JSON.parse, () => lockFile.packages[folder]);
      return {
        name: folder.split('node_modules/').at(-1),
        version: lockFile.packages[folder].version,
        license: licenseOf(installed),
        shipped: !lockFile.packages[folder].dev || inApp.has(folder),
      };
    }),
  );
}

/** Old packages have an object, or a list to choose from. */
function licenseOf({ license, licenses }) {
  const list = [license ?? licenses ?? 'none'].flat().map((one) => one.type ?? one);
  return list.length === 1 ? list[0] : `(${list.join(' OR ')})`;
}

/** Whether allowed licenses alone satisfy an SPDX expression. */
export function isLicenseAllowed(expression) {
  const bareExpression = expression.replace(/^\((.*)\)$/, '$1');
  return bareExpression
    .split(' OR ')
    .some((choice) =>
      choice.split(' AND ').every((one) => ALLOWED_LICENSES.has(one.replace(/[()]/g, ''))),
    );
}

export const licenseFaults = (packageList) =>
  packageList
    .filter(({ shipped, license }) => shipped && !isLicenseAllowed(license))
    .map(({ name, version, license }) => `${name} ${version}: ${license}`);

export function licenseSummary(packageList) {
  const line = (title, list) => {
    const counts = new Map();
    for (const { license } of list) counts.set(license, (counts.get(license) ?? 0) + 1);
    const parts = [...counts]
      .sort(([, one], [, other]) => other - one)
      .map(([license, count]) => `${license} ${count}`);
    return `${title}: ${list.length} packages: ${parts.join(', ')}`;
  };
  return [
    line(
      'passed on',
      packageList.filter(({ shipped }) => shipped),
    ),
    line(
      'tools',
      packageList.filter(({ shipped }) => !shipped),
    ),
  ];
}

/**
 * The registry's advisories as `{ faults, notes }`: faults are severe and shipped. `{ unchecked }`
 * has the reason when the registry does not answer.
 */
export function auditPackages(root, packageList) {
  const { stdout, error } = spawnSync('npm', ['audit', '--json'], {
    cwd: root,
    encoding: 'utf8',
    timeout: 15_000,
  });
  let report;
  try {
    report = JSON.parse(stdout);
  } catch {
    return { unchecked: error?.message ?? 'npm audit gave no answer' };
  }
  return readAdvisories(report, packageList);
}

/** Reads the output of `npm audit --json`. */
export function readAdvisories(report, packageList) {
  if (!report.vulnerabilities)
    return { unchecked: report.message ?? report.error?.summary ?? 'the registry gave no answer' };
  const shipped = new Set(packageList.filter((one) => one.shipped).map(({ name }) => name));
  const advisoryList = Object.values(report.vulnerabilities).map(({ name, severity, via }) => ({
    severe: shipped.has(name) && SEVERE_LEVELS.includes(severity),
    text: `${name}, ${shipped.has(name) ? 'passed on' : 'a tool'}, ${severity}: ${via.map((one) => one.title ?? `through ${one}`).join('; ')}`,
  }));
  const texts = (severe) =>
    advisoryList.filter((one) => one.severe === severe).map(({ text }) => text);
  return { faults: texts(true), notes: texts(false) };
}

/**
 * What breaks `npm ci`: dependencies or packages missing from the lock file. `npm install` silently
 * drops packages for other systems that the registry lacks; libsql's packages do not name their C
 * library.
 * @param manifest package.json
 * @param lock package-lock.json
 */
export function lockFaults(manifest, { packages: lockedPackages }) {
  const chosen = chosenVersions(manifest.overrides);
  const stale = ['dependencies', 'devDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {})
      .filter(([name, range]) => lockedPackages[''][kind]?.[name] !== range)
      .map(
        ([name, range]) =>
          `${name} ${range} is in package.json and not in package-lock.json: run npm install`,
      ),
  );
  const missing = Object.entries(lockedPackages).flatMap(
    ([folder, { dependencies, optionalDependencies }]) =>
      Object.entries({ ...dependencies, ...optionalDependencies })
        .filter(([name, range]) => {
          const held = found(lockedPackages, folder, name);
          return !satisfies(held, range) && !chosen.has(`${name} ${held?.version}`);
        })
        .map(
          ([name, range]) =>
            `${name} ${range}, which ${folder || 'package.json'} needs, is not in package-lock.json`,
        ),
  );
  const unsaid = Object.entries(lockedPackages)
    .filter(([folder, { libc }]) => !libc && twinOf(folder) && lockedPackages[twinOf(folder)])
    .map(
      ([folder]) =>
        `${folder} does not say its C library: give it "libc" in package-lock.json, or npm installs it and its twin everywhere`,
    );
  return [...stale, ...missing, ...unsaid];
}

/** The package for the same machine with Linux' other C library, if any. */
const twinOf = (folder) =>
  /linux.*(gnu|musl)/.test(folder)
    ? folder.replace(/gnu|musl/, (one) => (one === 'gnu' ? 'musl' : 'gnu'))
    : undefined;

/** Packages for one system need their exact version; a range or an override needs any. */
const satisfies = (held, range) =>
  held?.version !== undefined &&
  (isLeftOut(held) || !/^\d+\.\d+\.\d+$/.test(range) || held.version === range);

/** The versions that package.json overrides, as `name version`. `.` is the package itself. */
function chosenVersions(overrides = {}, of = '') {
  return new Set(
    Object.entries(overrides).flatMap(([name, value]) =>
      typeof value === 'string'
        ? [`${name === '.' ? of : name} ${value}`]
        : [...chosenVersions(value, name)],
    ),
  );
}

const isLeftOut = ({ name }) => name === 'empty-npm-package';

/**
 * Packages left out of the install but bundled: the app would find `undefined`.
 * @param lock package-lock.json
 * @param builds what `build` resolved with, for each kind of build
 */
export const omittedPackageFaults = ({ packages: locked }, builds) => {
  const bundled = builds
    .flatMap(({ app, worker }) => [app, worker])
    .flatMap(({ inputs }) => Object.keys(inputs));
  return [...new Set(bundled.map(folderOf))]
    .filter((folder) => folder && locked[folder] && isLeftOut(locked[folder]))
    .map((folder) => `${folder} is empty by the overrides of package.json, and is in a build`);
};

/** The package Node resolves from a folder. */
function found(locked, folder, name) {
  const own = locked[`${folder && `${folder}/`}node_modules/${name}`];
  if (own || folder === '') return own;
  return found(locked, folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/'))), name);
}
