/**
 * The table of log events (`server/deploy/logs.md`) names each event that the server logs, and no
 * other.
 */
import fs from 'node:fs/promises';
import { listFilesBelow } from './documents.mjs';
import { walkNodes, parseSource } from './syntax.mjs';

const LOG_TABLE_FILE = 'server/deploy/logs.md';
const LOG_LEVELS = ['info', 'warn', 'error'];

/** What the code logs and the table lacks, or the other way round, as sentences. */
export async function logFaults(root) {
  const table = await fs.readFile(`${root}/${LOG_TABLE_FILE}`, 'utf8');
  const listed = [...table.matchAll(/^\| `([^`]+)` \| (\w+) \|/gm)].map(
    ([, event, level]) => `${level} “${event}”`,
  );
  const faults = [];
  const logged = new Set();
  const files = (await listFilesBelow(root, 'server')).filter((file) => file.endsWith('.ts'));
  for (const file of files) {
    for (const { level, event, line } of eventsOf(await fs.readFile(`${root}/${file}`, 'utf8'))) {
      const name = `${level} “${event}”`;
      logged.add(name);
      if (event === undefined) faults.push(`${file}:${line}: write the event as a literal`);
      else if (!listed.includes(name))
        faults.push(`${file}:${line}: ${LOG_TABLE_FILE} lacks ${name}`);
    }
  }
  return [
    ...faults,
    ...listed
      .filter((name) => !logged.has(name))
      .map((name) => `${LOG_TABLE_FILE}: nothing logs ${name} any more`),
  ];
}

/**
 * `log.warn('event', …)`, and `formatLine('warn', 'event', …)` where a line is printed by itself.
 */
function eventsOf(source) {
  return [...walkNodes(parseSource(source))].flatMap((node) => {
    if (node.type !== 'CallExpression') return [];
    const { callee, arguments: callArguments, loc } = node;
    const method = callee.property?.name;
    const isLog = LOG_LEVELS.includes(method) && /^(log|createLog)$/i.test(nameOf(callee.object));
    const isLine = /^(line|formatLine)$/.test(callee.name ?? method) && callArguments.length === 3;
    if (!isLog && !isLine) return [];
    const [level, event] = isLog
      ? [method, callArguments[0]]
      : [callArguments[0].value, callArguments[1]];
    // The log itself writes any event.
    return level === undefined ? [] : [{ level, event: event?.value, line: loc.start.line }];
  });
}

/** `log` of `log`, `services.log` and `services().log`; `createLog` of a call of it. */
const nameOf = (object) => object?.property?.name ?? object?.callee?.name ?? object?.name ?? '';
