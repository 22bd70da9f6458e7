import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { logFaults } from './log-events.mjs';

const test = suite('log events');

const roots: string[] = [];
/** What the check says of a server with this code and these rows in its table. */
async function found(code: string, ...rows: string[]): Promise<string[]> {
  const root = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-log-events-'));
  roots.push(root);
  await fs.mkdir(`${root}/server/deploy`, { recursive: true });
  await fs.writeFile(`${root}/server/a.ts`, code);
  await fs.writeFile(`${root}/server/deploy/logs.md`, rows.join('\n'));
  return logFaults(root);
}
test.after(async () => {
  for (const root of roots) await fs.rm(root, { recursive: true });
});

const row = (event: string, level: string) => `| \`${event}\` | ${level} | `;

test('accepts a table that names every event with its level', async () => {
  const code = `services().log.info('started', {}); log.warn('slow');
    createLog(write).error('log lost'); output.line('info', 'first', {});`;
  const rows = [row('started', 'info'), row('slow', 'warn'), row('log lost', 'error')];
  assert.equal(await found(code, ...rows, row('first', 'info')), []);
});

test('names an event that the table lacks, or lists with another level', async () => {
  assert.equal(await found(`log.warn('slow');\nlog.info('started');`, row('started', 'warn')), [
    'server/a.ts:1: server/deploy/logs.md lacks warn “slow”',
    'server/a.ts:2: server/deploy/logs.md lacks info “started”',
    'server/deploy/logs.md: nothing logs warn “started” any more',
  ]);
});

test('rejects an event that is not a literal', async () => {
  assert.equal(await found('services.log.warn(event);\nconsole.error(reason);'), [
    'server/a.ts:1: write the event as a literal',
  ]);
});

test.run();
