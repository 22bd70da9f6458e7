import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  isLicenseAllowed,
  omittedPackageFaults,
  licenseFaults,
  lockFaults,
  readAdvisories,
} from './dependencies.mjs';

const test = suite('dependencies');
const shipped = { name: 'hono', version: '4.0.0', license: 'MIT', shipped: true };
const tool = { name: 'esbuild', version: '0.1.0', license: 'GPL-3.0-only', shipped: false };

test('accepts a license when every part that applies is allowed', () => {
  for (const license of [
    'MIT',
    '(MIT OR GPL-3.0-only)',
    'MIT AND Zlib',
    '(MIT AND Zlib)',
    'GPL-3.0-only OR (MIT AND ISC)',
  ])
    assert.ok(isLicenseAllowed(license), license);
  for (const license of [
    'GPL-3.0-only',
    'MIT AND GPL-3.0-only',
    'SEE LICENSE IN LICENSE',
    'none',
    '',
  ])
    assert.not(isLicenseAllowed(license), license);
});

test('requires allowed licenses of shipped packages, not of tools', () => {
  assert.equal(licenseFaults([shipped, tool]), []);
  assert.equal(licenseFaults([{ ...shipped, license: 'AGPL-3.0-only' }]), [
    'hono 4.0.0: AGPL-3.0-only',
  ]);
});

test('fails on severe advisories against shipped packages, and prints the others', () => {
  const known = (name: string, severity: string) => ({
    name,
    severity,
    via: [{ title: 'Lets strangers in' }, 'other'],
  });
  const report = {
    vulnerabilities: { hono: known('hono', 'high'), esbuild: known('esbuild', 'critical') },
  };
  assert.equal(readAdvisories(report, [shipped, tool]), {
    faults: ['hono, passed on, high: Lets strangers in; through other'],
    notes: ['esbuild, a tool, critical: Lets strangers in; through other'],
  });
  assert.equal(readAdvisories({ vulnerabilities: { hono: known('hono', 'low') } }, [shipped]), {
    faults: [],
    notes: ['hono, passed on, low: Lets strangers in; through other'],
  });
});

test('does not count an unanswered registry as free of advisories', () => {
  assert.equal(readAdvisories({ message: '405 Method Not Allowed' }, [shipped]), {
    unchecked: '405 Method Not Allowed',
  });
  assert.equal(readAdvisories({ error: { summary: 'offline' } }, [shipped]), {
    unchecked: 'offline',
  });
});

test('fails when the lock file lacks another system’s package or has another version', () => {
  const manifest = { devDependencies: { rollup: '^4.0.0' } };
  const rollup = {
    version: '4.1.0',
    dependencies: { estree: '^1.0.0' },
    optionalDependencies: { 'rollup-darwin-arm64': '4.1.0' },
  };
  const whole = {
    '': manifest,
    'node_modules/rollup': rollup,
    'node_modules/rollup/node_modules/estree': { version: '1.0.7' },
    'node_modules/rollup-darwin-arm64': { version: '4.1.0' },
  };
  assert.equal(lockFaults(manifest, { packages: whole }), []);
  const sentence =
    'rollup-darwin-arm64 4.1.0, which node_modules/rollup needs, is not in package-lock.json';
  for (const other of [{}, { version: '4.0.9' }]) {
    assert.equal(
      lockFaults(manifest, { packages: { ...whole, 'node_modules/rollup-darwin-arm64': other } }),
      [sentence],
    );
  }
  const { 'node_modules/rollup-darwin-arm64': _, ...without } = whole;
  assert.equal(lockFaults(manifest, { packages: without }), [sentence]);
});

const emptyPackage = { name: 'empty-npm-package', version: '1.0.0' };

test('accepts an empty package in place of one that is left out', () => {
  const manifest = { devDependencies: { firebase: '12.0.0' } };
  const packages = {
    '': manifest,
    'node_modules/firebase': { version: '12.0.0', dependencies: { '@firebase/auth': '1.13.6' } },
    'node_modules/firebase/node_modules/@firebase/auth': emptyPackage,
  };
  assert.equal(lockFaults(manifest, { packages }), []);
});

test('accepts the version that package.json overrides for a package of a package', () => {
  const manifest = (version: string) => ({
    overrides: {
      driver: { protocol: { '.': version, polyfill: '1.0.0' } },
      other: 'npm:none@1.0.0',
    },
  });
  const packages = {
    '': {},
    'node_modules/driver': { version: '2.0.0', dependencies: { protocol: '14.0.0' } },
    'node_modules/protocol': { version: '0.4.33', dependencies: { polyfill: '9.0.0' } },
    'node_modules/polyfill': { version: '1.0.0' },
  };
  assert.equal(lockFaults(manifest('0.4.33'), { packages }), []);
  assert.equal(lockFaults(manifest('0.4.34'), { packages }), [
    'protocol 14.0.0, which node_modules/driver needs, is not in package-lock.json',
  ]);
});

test('requires the C library of a platform package in the lock file', () => {
  const one = { '': {}, 'node_modules/@libsql/linux-x64-gnu': { version: '1.0.0' } };
  assert.equal(lockFaults({}, { packages: one }), []);
  const musl = 'node_modules/@libsql/linux-x64-musl';
  const [fault] = lockFaults(
    {},
    {
      packages: {
        ...one,
        'node_modules/@libsql/linux-x64-gnu': { version: '1.0.0', libc: ['glibc'] },
        [musl]: { version: '1.0.0' },
      },
    },
  );
  assert.match(fault, `${musl} does not say its C library`);
});

test('fails when a package that is left out gets into the app’s or the worker’s build', () => {
  const packages = {
    'node_modules/@firebase/app': { version: '0.16.2' },
    'node_modules/@firebase/auth': emptyPackage,
  };
  const inputs = (file: string) => ({ inputs: { 'src/main.tsx': {}, [file]: {} } });
  const good = inputs('node_modules/@firebase/app/dist/index.js');
  const bad = inputs('node_modules/@firebase/auth/index.js');
  assert.equal(omittedPackageFaults({ packages }, [{ app: good, worker: good }]), []);
  for (const built of [
    { app: bad, worker: good },
    { app: good, worker: bad },
  ])
    assert.equal(omittedPackageFaults({ packages }, [built]), [
      'node_modules/@firebase/auth is empty by the overrides of package.json, and is in a build',
    ]);
});

test('fails when the lock file is older than package.json', () => {
  const locked = {
    '': { dependencies: { hono: '4.0.0' } },
    'node_modules/hono': { version: '4.0.0' },
  };
  assert.equal(lockFaults({ dependencies: { hono: '4.0.0' } }, { packages: locked }), []);
  assert.equal(lockFaults({ dependencies: { hono: '4.1.0' } }, { packages: locked }), [
    'hono 4.1.0 is in package.json and not in package-lock.json: run npm install',
  ]);
  assert.equal(
    lockFaults(
      { dependencies: { hono: '4.0.0' }, devDependencies: { uvu: '1.0.0' } },
      { packages: locked },
    ).length,
    1,
  );
});

test.run();
