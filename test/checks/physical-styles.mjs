/** Styles that only fit text from left to right. */
import { readFileSync } from 'node:fs';

const PHYSICAL_PROPERTY =
  /^(?:(?:margin|padding|border)-(?:left|right)\b.*|(?:left|right):.*|text-align: (?:left|right)|float:.*|(?:margin|padding|inset|border-width|border-radius): \S+ (\S+) \S+ (?!\1;)\S+);$/;

/**
 * @param {string} css
 * @returns {string[]}
 */
export const findPhysicalLines = (css) =>
  css
    .split('\n')
    .map((line) => line.replace(/\/\*.*/, '').trim())
    .filter((line) => PHYSICAL_PROPERTY.test(line));

/**
 * @param {string[]} files
 * @returns {string[]}
 */
export const physicalStyleFaults = (files) =>
  files.flatMap((file) =>
    findPhysicalLines(readFileSync(file, 'utf8')).map(
      (line) => `${file}: "${line}" has a fixed side: use inline-start, inline-end`,
    ),
  );
