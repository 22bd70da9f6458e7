/** Writes brotli and gzip beside every text file, for servers that send them as they are. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/** @typedef {{ file: string, bytes: number, brotli: number }} Size plain and compressed */

/**
 * Resolves with the sizes of all text files. Those that are compressed already stay as they are.
 * @param {string} folder
 * @returns {Promise<Size[]>}
 */
export async function compress(folder) {
  const present = new Set(await fs.readdir(folder, { recursive: true }));
  const files = [...present].filter((file) => /\.(html|js|css|json|svg)$/.test(file));
  return Promise.all(
    files.sort().map(async (file) => {
      if (present.has(`${file}.br`)) {
        const size = async (/** @type {string} */ name) =>
          (await fs.stat(path.join(folder, name))).size;
        return { file, bytes: await size(file), brotli: await size(`${file}.br`) };
      }
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
    }),
  );
}
