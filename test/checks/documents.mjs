/**
 * Each requirement (`test/specification.md`, S1.1 …) and bar (`test/quality.md`, A1 …) needs an
 * existing test, each claim of the operators' documents too. Comments may cite existing numbers only.
 */
import fs from 'node:fs/promises';
import path from 'node:path';

/** Folders and files whose comments may cite. */
const CITING_FOLDERS = ['src', 'sw', 'server', 'test', 'build.mjs'];
const SOURCE_FILE = /\.(ts|tsx|mjs|css)$/;
/** Bars per letter. E is one bar without a number. */
const BAR_COUNTS = { A: 44, B: 26, C: 10, D: 12, F: 19 };
/** Documents outside the repository that comments once cited. */
const OUTSIDE_CITATION = /\bspecification, sections? \d/;

/** The rows of a three-column table: number, statement, test. */
const tableRows = (text, number) =>
  text.split('\n').flatMap((line) => {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return cells.length === 5 && number.test(cells[1])
      ? [{ number: cells[1], statement: cells[2], test: cells[3] }]
      : [];
  });

const REQUIREMENT_NUMBER = /^S\d+\.\d+$/;
const BAR_NUMBER = /^[A-H]\d*(–[A-H]\d+)?$/;

async function readRows(root) {
  const [specification, quality] = await Promise.all(
    ['specification', 'quality'].map((name) => fs.readFile(`${root}/test/${name}.md`, 'utf8')),
  );
  return {
    specification,
    requirements: tableRows(specification, REQUIREMENT_NUMBER),
    bars: tableRows(quality, BAR_NUMBER),
  };
}

export async function specificationFaults(root) {
  const { specification, requirements } = await readRows(root);
  const files = new Map(
    [...specification.matchAll(/^\| (\w+) \| `(test\/.*)` \|$/gm)].map(([, name, file]) => [
      name,
      file,
    ]),
  );
  const faults = repeated(requirements.map(({ number }) => number));
  for (const { number, test } of requirements) {
    const [, name = '', title = ''] = /^(\w+): (.+)$/.exec(test) ?? [];
    if (!title) {
      faults.push(`${number} has no test`);
      continue;
    }
    const file = files.get(name);
    const source = file && (await fs.readFile(`${root}/${file}`, 'utf8').catch(() => ''));
    // Any of three quotes; apostrophes are escaped in one of them.
    if (
      !source ||
      !["'", '"', '`'].some((quote) => source.replaceAll("\\'", "'").includes(`${quote}${title}`))
    ) {
      faults.push(`${number}: no such test: ${test}`);
    }
  }
  return faults;
}

export async function qualityFaults(root) {
  const { bars } = await readRows(root);
  const testedBars = bars.flatMap(barNumbers);
  return [
    ...repeated(testedBars),
    ...Object.entries(BAR_COUNTS).flatMap(([letter, count]) =>
      range(letter, 1, count)
        .filter((bar) => !testedBars.includes(bar))
        .map((bar) => `${bar} is missing`),
    ),
    // Another bar's test may cover a bar: “As A11”.
    ...bars
      .filter(({ test }) => !/`[^`]+`|^As [A-H]\d/.test(test))
      .map(({ number }) => `${number} has no test`),
    ...(await unknownTests(root, bars)),
  ];
}

/**
 * Each claim of README and server/deploy (`test/claims.md`) must be in its document, and name what
 * tests it.
 */
export async function claimFaults(root) {
  const text = await fs.readFile(`${root}/test/claims.md`, 'utf8');
  const claims = tableRows(text, /^[\w/]+\.md$/);
  const faults = [];
  for (const { number: document, statement, test } of claims) {
    const source = await fs.readFile(`${root}/${document}`, 'utf8').catch(() => undefined);
    if (source === undefined) faults.push(`${document} does not exist`);
    else if (!isIn(source.replace(/\s+/g, ' '), statement))
      faults.push(`${document} does not claim “${statement}”`);
    if (!/`test\/[^`]+`|by hand on \d{4}-\d{2}-\d{2}|not tested: \w/.test(test))
      faults.push(`${document}: “${statement}” has no test`);
  }
  return [...faults, ...(await unknownTests(root, claims))];
}

/** An ellipsis stands for what differs from case to case. */
const isIn = (source, title) => title.split('…').every((part) => source.includes(part.trim()));

/** Files and titles of tests that rows name and that do not exist. */
async function unknownTests(root, rows) {
  const files = (await fs.readdir(`${root}/test`, { recursive: true })).map(
    (file) => `test/${file}`,
  );
  const named = new Set(
    rows.flatMap(({ test }) =>
      [...test.matchAll(/`(test\/[\w/.-]+\.(?:ts|tsx|mjs))`/g)].map(([, file]) => file),
    ),
  );
  const read = async (file) => [
    file,
    (await fs.readFile(`${root}/${file}`, 'utf8')).replaceAll("\\'", "'"),
  ];
  const sources = await Promise.all(files.filter((file) => SOURCE_FILE.test(file)).map(read));
  /** A title belongs to the file named last before it, in full or by its end. */
  const unknown = rows.flatMap(({ number, test }) => {
    let file = '';
    return [...test.matchAll(/`([\w/.-]+\.(?:ts|tsx|mjs))`|"([^"]+)"/g)].flatMap(
      ([, place, title]) => {
        file = place ?? file;
        return !title ||
          sources.some(([name, source]) => name.endsWith(file) && isIn(source, title))
          ? []
          : [`${number}: no such test in ${file || 'test/'}: “${title}”`];
      },
    );
  });
  return [
    ...[...named].filter((file) => !files.includes(file)).map((file) => `${file} does not exist`),
    ...unknown,
  ];
}

export async function citationFaults(root) {
  const { requirements, bars } = await readRows(root);
  const knownNumbers = new Set([
    ...requirements.map(({ number }) => number),
    ...bars.flatMap(barNumbers),
  ]);
  const filesByFolder = await Promise.all(CITING_FOLDERS.map((part) => listFilesBelow(root, part)));
  const files = filesByFolder.flat();
  const documents = new Set(
    ['README.md', ...files]
      .filter((file) => file.endsWith('.md'))
      .map((file) => path.basename(file)),
  );
  const faults = [];
  for (const file of files.filter((name) => SOURCE_FILE.test(name))) {
    for (const { line, text } of listComments(await fs.readFile(`${root}/${file}`, 'utf8'))) {
      const place = `${file}:${line}`;
      for (const [number] of text.matchAll(/(?<![\w.#%+-])(S\d+\.\d+|[A-H]\d{1,2})(?![\w%])/g))
        if (!knownNumbers.has(number))
          faults.push(`${place} cites ${number}, which does not exist`);
      for (const [document] of text.matchAll(/[\w-]+\.md\b/g))
        if (!documents.has(document))
          faults.push(`${place} names ${document}, which does not exist`);
      const [elsewhere] = OUTSIDE_CITATION.exec(text) ?? [];
      if (elsewhere) faults.push(`${place} cites “${elsewhere}”: cite its number`);
    }
  }
  return faults;
}

/**
 * The comments of a source, line by line.
 * @param {string} source
 * @returns {{ line: number, text: string }[]}
 */
export function listComments(source) {
  let inside = false;
  return source.split('\n').flatMap((whole, index) => {
    const line = index + 1;
    const [, begun] = /^\s*\{?(\/\*.*)/.exec(whole) ?? [];
    if (begun !== undefined || inside) {
      inside = !whole.includes('*/');
      return [{ line, text: whole }];
    }
    const [, text] = /(?:^|\s)(?:\/\/|\/\*)\s(.*)/.exec(whole) ?? [];
    return text === undefined ? [] : [{ line, text }];
  });
}

/** The files in and below a folder except packages, or the one file `part`. */
export async function listFilesBelow(root, part) {
  const entries = await fs
    .readdir(`${root}/${part}`, { recursive: true, withFileTypes: true })
    .catch((error) => {
      if (error.code === 'ENOTDIR') return undefined;
      if (error.code === 'ENOENT') return [];
      throw error;
    });
  return (
    entries
      ?.filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)))
      .filter((file) => !file.includes('node_modules/')) ?? [part]
  );
}

/** A row may cover several bars: `A1–A3`. */
function barNumbers({ number }) {
  const [, letter, first, last] = /^([A-H])(\d*)(?:–[A-H](\d+))?$/.exec(number) ?? [];
  return first ? range(letter, Number(first), Number(last ?? first)) : [letter];
}

const range = (letter, first, last) =>
  Array.from({ length: last - first + 1 }, (_, index) => `${letter}${first + index}`);

const repeated = (numbers) =>
  numbers
    .filter((number, index) => numbers.indexOf(number) !== index)
    .map((number) => `${number} is used twice`);
