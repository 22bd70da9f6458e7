/** ntfy clients work unchanged except for host and key. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import type { Published } from '../../../src/shared/contract';
import { listen } from '../../../server/http/connections/listen';
import type { MessageRow } from '../../../server/db/schema';
import { readExamples, replaceOwn } from '../../support/ntfy/examples';
import type { NtfyExample } from '../../support/ntfy/examples';
import { createTopicKey } from '../../support/server/topic-keys';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('ntfy examples');
const examples = readExamples();
const HOUR_MS = 60 * 60 * 1000;
const NOW = new Date(2026, 10, 20, 14).valueOf();

let key: string;
test.before.each(async () => {
  server.clock.now = NOW;
  key = await createTopicKey(server, await server.createTopic('Grid outages'));
});

/** Unsupported parts of ntfy, and their answers. */
const STATUS_OF_REJECTED: Record<string, number> = {
  // A GET changes nothing here.
  'Webhooks (publish via GET)': 404,
  // A picture is not text.
  'Attach local file': 400,
  // Keys are not accepted in addresses.
  'Query param': 401,
};

interface Outcome {
  status: number;
  body: string;
}
const outcomeOf = async (response: Response): Promise<Outcome> => ({
  status: response.status,
  body: await response.text(),
});

/** Runs commands with a `curl` that adds the key if missing. */
async function runShell(text: string, port: number): Promise<Outcome[]> {
  const script = replaceOwn(text, `127.0.0.1:${port}/api/publish`, key);
  const login = script.includes(key) ? '' : `-H "Authorization: Bearer ${key}"`;
  const curl = `curl() { command curl -sS -w '\\n%{http_code}\\n' ${login} "$@"; }`;
  const { stdout } = await promisify(execFile)('bash', ['-c', `${curl}\n${script}`]);
  const lines = stdout.trim().split('\n');
  return lines.flatMap((body, index) =>
    index % 2 === 0 ? [{ body, status: Number(lines[index + 1]) }] : [],
  );
}

async function sendRaw(text: string): Promise<Outcome> {
  const [, head = '', body = ''] = /^(.*?)(?:\n\s*\n(.*))?$/s.exec(text) ?? [];
  const [line = '', ...lines] = head.split('\n');
  const [method = '', path = ''] = line.split(' ');
  const headers = new Headers();
  for (const each of lines) {
    const [, name = '', value = ''] = /^([\w-]+): (.*)$/.exec(each) ?? [];
    headers.set(name, replaceOwn(value, 'bell.example', key).trim());
  }
  return send(`/api/publish${path}`, { method, headers, body: method === 'GET' ? null : body });
}

async function runScript(text: string): Promise<Outcome> {
  const outcomes: Promise<Outcome>[] = [];
  const fetch = (url: string, init?: RequestInit): unknown =>
    outcomes.push(send(url, { ...init, headers: new Headers(init?.headers) }));
  new Function('fetch', replaceOwn(text, 'https://localhost/api/publish', key))(fetch);
  return outcomes[0] ?? assert.unreachable('it asked nothing');
}

function isScript(text: string): boolean {
  try {
    return new Function(text) instanceof Function;
  } catch {
    return false;
  }
}

async function send(url: string, init: RequestInit & { headers: Headers }): Promise<Outcome> {
  if (!init.headers.has('Authorization') && !url.includes('auth='))
    init.headers.set('Authorization', `Bearer ${key}`);
  return outcomeOf(await server.request(url, init));
}

function inLanguage(language: NtfyExample['language']): NtfyExample[] {
  const examplesInLanguage = examples.filter((example) => example.language === language);
  assert.ok(examplesInLanguage.length >= 32);
  return examplesInLanguage;
}

/** Checks that it was accepted with the text of the example. */
function expectTaken({ section, text }: NtfyExample, { status, body }: Outcome): void {
  assert.is(status, STATUS_OF_REJECTED[section] ?? 202, `${section}: ${body}`);
  if (section in STATUS_OF_REJECTED) return;
  const { topic, message } = JSON.parse(body) as Published;
  assert.is(topic, 'Grid outages');
  if (section === 'Attach file from a URL') return assert.is(message, 'triggered');
  const [first = ''] = message.split('\n');
  assert.ok(first !== '' && text.replaceAll('\\"', '"').includes(first), `${section}: ${message}`);
}

const readStored = (id: string): Promise<MessageRow> =>
  server.services.db
    .selectFrom('messages')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

/** What the documented commands sent, by section and in order. */
async function runCommands(): Promise<Map<string, MessageRow[]>> {
  const { port, stop } = await listen(server.app, { port: 0, host: '127.0.0.1' });
  const sent = new Map<string, MessageRow[]>();
  const run = async (example: NtfyExample): Promise<void> => {
    const { section } = example;
    // One of the examples names no host.
    const text = example.text.replace(/^curl .*"You've Got Mail" $/m, '');
    for (const outcome of await runShell(text, port)) {
      expectTaken(example, outcome);
      const { id } = JSON.parse(outcome.body) as Published;
      sent.set(section, [...(sent.get(section) ?? []), await readStored(id)]);
    }
  };
  const bySection = new Map<string, NtfyExample[]>();
  for (const example of inLanguage('bash'))
    if (!(example.section in STATUS_OF_REJECTED))
      bySection.set(example.section, [...(bySection.get(example.section) ?? []), example]);
  await Promise.all(
    [...bySection.values()].map(async (inOne) => {
      for (const example of inOne) await run(example);
    }),
  );
  await stop();
  return sent;
}

test('accepts every documented curl example with text, title, priority, link and time', async () => {
  const sent = await runCommands();
  const columnsOf = <Name extends keyof MessageRow>(section: string, ...names: Name[]) =>
    sent.get(section)?.map((row) => names.map((name) => row[name]));
  assert.equal(columnsOf('Publishing', 'title', 'priority', 'link'), [
    [null, 'normal', null],
    ['Unauthorized access detected', 'urgent', null],
    [null, 'normal', 'https://home.nest.com/'],
  ]);
  assert.is(sent.get('Publishing')?.[2]?.text.split('\n').length, 4);
  const title = ['Dogs are better than cats'];
  assert.equal(columnsOf('Message title', 'title'), [title, title, title]);
  assert.equal(columnsOf('Message priority', 'priority'), [['urgent'], ['info'], ['urgent']]);
  assert.equal(columnsOf('Scheduled delivery', 'send_at', 'state'), [
    [new Date(2026, 10, 21, 10).valueOf(), 'scheduled'],
    [NOW + HOUR_MS / 2, 'scheduled'],
    [NOW, 'sent'],
  ]);
  assert.equal(columnsOf('Publish as JSON', 'title', 'text', 'link', 'priority'), [
    [
      'Low disk space alert',
      'Disk space is low at 5.1 GB',
      'https://homecamera.lan/xasds1h2xsSsa/',
      'urgent',
    ],
  ]);
  assert.equal(columnsOf('Click action', 'link'), [['https://www.reddit.com/message/messages']]);
});

test('accepts every documented HTTP request that Fieldbell supports', async () => {
  for (const example of inLanguage('http'))
    if (example.section !== 'Attach local file') expectTaken(example, await sendRaw(example.text));
});

test('accepts every documented browser script that Fieldbell supports', async () => {
  const broken: string[] = [];
  for (const example of inLanguage('js')) {
    if (example.section === 'Attach local file') continue;
    if (isScript(example.text)) expectTaken(example, await runScript(example.text));
    else broken.push(example.section);
  }
  // No browser runs these as documented.
  assert.equal(broken, [
    'Open website/app',
    'Send Android broadcast',
    'Send HTTP request',
    'Message caching',
    'Disable Firebase',
  ]);
});

test.run();
