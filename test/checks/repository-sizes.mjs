/** Sizes of the repository, printed by `npm run check`. `--list` names the places. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readImports } from './import-rules.mjs';
import { walkNodes, parseSource } from './syntax.mjs';

const read = (file) => readFileSync(file, 'utf8');
const linesOf = (file) => read(file).split('\n').length - 1;
const sum = (files, count) => files.reduce((total, file) => total + count(file), 0);

/** The existing files in `folders` that git does not ignore. */
const filesIn = (...folders) =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...folders], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file && existsSync(file));

/** The names a module declares and exports; re-exports do not count. */
function exportedNames(program) {
  return program.body
    .filter(({ type, declaration }) => type === 'ExportNamedDeclaration' && declaration)
    .flatMap(({ declaration }) =>
      (declaration.declarations ?? [declaration]).flatMap(({ id }) => id?.name ?? []),
    );
}

const isFunction = ({ type }) => /Function|^(ClassMethod|ObjectMethod|ClassDeclaration)/.test(type);

const calledBy = ({ callee }) => callee.name ?? callee.property?.name;
const EFFECT_CALLS = /^(effect|addEventListener|onMessage|subscribe|watch|listen|on[A-Z]\w*)$/;

const effectsOf = (program) =>
  program.body
    .flatMap((statement) => [...walkNodes(statement, isFunction)])
    .filter((node) => node.type === 'CallExpression' && EFFECT_CALLS.test(calledBy(node)));

const letsOf = (program) =>
  program.body
    .map((statement) => statement.declaration ?? statement)
    .filter(
      ({ type, kind, declare }) => type === 'VariableDeclaration' && kind === 'let' && !declare,
    )
    .flatMap(({ declarations }) => declarations);

/** Whether one program has two of the modules: `deleteUser` may be in app and server. */
const isInOneProgram = ([, files]) => {
  const ofServer = files.filter((file) => file.startsWith('server/')).length;
  return ofServer > 1 || files.length - ofServer > 1;
};

export function countRepositorySizes() {
  const code = (files) => files.filter((file) => /\.(tsx?|mjs|css)$/.test(file));
  const product = code(filesIn('src', 'sw', 'server'));
  const readmes = filesIn().filter(
    (file) => file.endsWith('README.md') || /^server\/deploy\/.*\.md$/.test(file),
  );

  const modules = product.filter((file) => /\.(tsx?|mjs)$/.test(file));
  const programs = new Map(
    modules.map((file) => [file, /** @type {any} */ (parseSource(read(file))).program]),
  );
  const ofApp = [...programs].filter(([file]) => file.startsWith('src/'));

  const owners = new Map();
  for (const [file, program] of programs)
    for (const name of new Set(exportedNames(program)))
      owners.set(name, [...(owners.get(name) ?? []), file]);
  const shared = [...owners].filter(([, files]) => files.length > 1);

  const importers = new Map();
  for (const [file, imported] of readImports(modules))
    for (const one of new Set(imported)) importers.set(one, [...(importers.get(one) ?? []), file]);
  const small = modules.filter((file) => linesOf(file) < 40 && importers.get(file)?.length === 1);

  const places = (find) =>
    ofApp.flatMap(([file, program]) => find(program).map(({ loc }) => `${file}:${loc.start.line}`));
  const listed = (list) => [list.length, list];
  return [
    ['lines of src, sw and server', sum(product, linesOf)],
    ['lines of test', sum(code(filesIn('test')), linesOf)],
    [
      'words of the READMEs and server/deploy',
      sum(readmes, (file) => read(file).split(/\s+/).filter(Boolean).length),
    ],
    ['lines of README.md', linesOf('README.md')],
    [
      'names that two or more modules export',
      ...listed(shared.map(([name, files]) => `${name}: ${files.join(', ')}`)),
    ],
    ['  of these within the app, or within the server', shared.filter(isInOneProgram).length],
    [
      'files under 40 lines with one importer',
      ...listed(small.map((file) => `${file} (${linesOf(file)}) for ${importers.get(file)}`)),
    ],
    ['src: module-level `let`', ...listed(places(letsOf))],
    ['src: module-level effects and listeners', ...listed(places(effectsOf))],
  ];
}

export function printSizes(isListed) {
  for (const [name, number, places = []] of countRepositorySizes()) {
    console.log(`${String(number).padStart(7)} ${name}`);
    if (isListed) for (const place of places) console.log(`        ${place}`);
  }
}

if (process.argv[1]?.endsWith('repository-sizes.mjs')) printSizes(process.argv.includes('--list'));
