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

/** Files of the tree that `test/quality.md` names and that are not there. */
export async function qualityFaults(root) {
  const text = await fs.readFile(`${root}/test/quality.md`, 'utf8');
  const files = new Set([...text.matchAll(/`(test\/[\w/.-]+\.(?:ts|tsx|mjs))`/g)].map(([, file]) => file));
  const there = await Promise.all([...files].map((file) => fs.access(`${root}/${file}`).then(() => true, () => false)));
  return [...files].filter((_, index) => !there[index]).map((file) => `${file} does not exist`);
}
