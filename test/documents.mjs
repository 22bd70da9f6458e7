/** Documents that name tests: every one they name must exist. */
import fs from 'node:fs/promises';

/** What `test/specification.md` names and is not there, as sentences. */
export async function specificationFaults(root) {
  const text = await fs.readFile(`${root}/test/specification.md`, 'utf8');
  const rows = [...text.matchAll(/^\| (.+) \| (.+) \|$/gm)].map(([, left, right]) => [left, right]);
  const files = new Map(rows.filter(([, file]) => /^`test\/.*`$/.test(file)).map(([name, file]) => [name, file.slice(1, -1)]));
  const faults = [];
  for (const [statement, test] of rows) {
    const [, name = '', title = ''] = /^(\w+): (.+)$/.exec(test) ?? [];
    if (!title) continue;
    const file = files.get(name);
    const source = file && (await fs.readFile(`${root}/${file}`, 'utf8').catch(() => ''));
    // A title may be quoted in any of three ways in the source; apostrophes are escaped in one of them.
    if (!source || !['\'', '"', '`'].some((quote) => source.replaceAll("\\'", "'").includes(`${quote}${title}`))) {
      faults.push(`${test}: no such test (for “${statement}”)`);
    }
  }
  return faults;
}

/** The numbered bars: how many there are of each letter. */
const BARS = { A: 44, B: 26, C: 10, D: 12 };

/** What `test/quality.md` lacks, and what it names and is not there, as sentences. */
export async function qualityFaults(root) {
  const text = await fs.readFile(`${root}/test/quality.md`, 'utf8');
  const named = new Set([...text.matchAll(/`(test\/[\w/.-]+\.(?:ts|tsx|mjs))`/g)].map(([, file]) => file));
  const files = (await fs.readdir(`${root}/test`, { recursive: true })).map((file) => `test/${file}`);
  const rows = [...text.matchAll(/^\| ([A-E]\d*)(?:–[A-E](\d+))? \| (.+) \|$/gm)].map(([, first, last, tests]) => ({ first, last, tests }));
  const held = new Set(rows.flatMap(({ first, last }) => numbers(first[0], Number(first.slice(1)), Number(last ?? first.slice(1)))));
  const read = async (file) => [file, (await fs.readFile(`${root}/${file}`, 'utf8')).replaceAll("\\'", "'")];
  const sources = await Promise.all(files.filter((file) => /\.(ts|tsx|mjs)$/.test(file)).map(read));
  // An ellipsis stands for what differs from case to case.
  const isIn = (source, title) => title.split('…').every((part) => source.includes(part.trim()));
  /** A title is that of a test in the file named last before it; a file that was named in full once may be named by its end. */
  const unknown = rows.flatMap(({ tests }) => {
    let named = '';
    return [...tests.matchAll(/`([\w/.-]+\.(?:ts|tsx|mjs))`|"([^"]+)"/g)].flatMap(([, file, title]) => {
      named = file ?? named;
      return !title || sources.some(([path, source]) => path.endsWith(named) && isIn(source, title)) ? [] : [`“${title}”: no such test in ${named || 'test/'}`];
    });
  });
  return [
    ...Object.entries(BARS).flatMap(([letter, count]) => numbers(letter, 1, count).filter((bar) => !held.has(bar)).map((bar) => `${bar} has no test`)),
    ...[...named].filter((file) => !files.includes(file)).map((file) => `${file} does not exist`),
    ...unknown,
  ];
}

const numbers = (letter, first, last) => Array.from({ length: last - first + 1 }, (_, index) => `${letter}${first + index}`);
