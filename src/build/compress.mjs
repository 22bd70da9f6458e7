/** Writes brotli and gzip beside every text file, for servers that send them as they are. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/** @typedef {{ file: string, bytes: number, brotli: number }} Size plain and compressed */

/** At once: a container build often allows 1,024 open files, and all languages have more. */
const MAX_OPEN_FILES = 64;

/**
 * Resolves with the sizes of all text files. Compressed files stay unchanged.
 * @param {string} folder
 * @returns {Promise<Size[]>}
 */
export async function compress(folder) {
  const present = new Set(await fs.readdir(folder, { recursive: true }));
  const files = [...present].filter((file) => /\.(html|js|css|json|svg)$/.test(file)).sort();
  /** @type {Size[]} */
  const sizes = [];
  const waiting = files.entries();
  const work = async () => {
    for (const [at, file] of waiting)
      sizes[at] = present.has(`${file}.br`)
        ? await readSize(folder, file)
        : await compressFile(folder, file);
  };
  await Promise.all(Array.from({ length: MAX_OPEN_FILES }, work));
  return sizes;
}

/** @type {(folder: string, file: string) => Promise<Size>} */
async function readSize(folder, file) {
  const [plain, compressed] = await Promise.all([
    fs.stat(path.join(folder, file)),
    fs.stat(path.join(folder, `${file}.br`)),
  ]);
  return { file, bytes: plain.size, brotli: compressed.size };
}

/** @type {(folder: string, file: string) => Promise<Size>} */
async function compressFile(folder, file) {
  const content = await fs.readFile(path.join(folder, file));
  const compressedContent = await brotli(content, {
    params: {
      [zlib.constants.BROTLI_PARAM_QUALITY]: 11,
      [zlib.constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
  await Promise.all([
    fs.writeFile(path.join(folder, `${file}.br`), compressedContent),
    gzip(content, { level: 9 }).then((gzipped) =>
      fs.writeFile(path.join(folder, `${file}.gz`), gzipped),
    ),
  ]);
  return { file, bytes: content.length, brotli: compressedContent.length };
}
