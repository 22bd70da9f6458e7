import { createHash } from 'node:crypto';
import { HtmlValidate } from 'html-validate';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { html, formatProse } from '../../../server/openapi/page/html';
import type { Document } from '../../../server/openapi/document';
import { createServer } from '../../support/server/server';
import type { TestServer } from '../../support/server/server';

const test = suite('the API docs page');

let server: TestServer;
let page: string;
test.before(async () => {
  server = await createServer();
  page = await (await server.request('/api/docs')).text();
});
test.after(() => server.close());

test('shows every call and shape', async () => {
  const document: Document = await (await server.request('/api/openapi.json')).json();
  for (const { operationId } of Object.values(document.paths).flatMap((one) => Object.values(one)))
    assert.is(page.split(`id="${operationId}"`).length, 2, operationId);
  for (const name of Object.keys(document.components.schemas))
    assert.is(page.split(`id="shape-${name}"`).length, 2, name);
});

test('contains no broken links', () => {
  const links = [...page.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id);
  assert.ok(links.length > 20);
  assert.equal(
    links.filter((id) => !page.includes(`id="${id}"`)),
    [],
  );
});

test('is valid HTML', async () => {
  const { results } = await new HtmlValidate({
    extends: ['html-validate:recommended'],
    rules: { 'long-title': 'off', 'doctype-style': 'off', 'no-trailing-whitespace': 'off' },
  }).validateString(page);
  assert.equal(
    results.flatMap(({ messages }) => messages.map((one) => `${one.line}: ${one.message}`)),
    [],
  );
});

test('needs nothing external, and allows only its own style', async () => {
  const response = await server.request('/api/docs');
  assert.is(response.headers.get('content-type'), 'text/html; charset=utf-8');
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'; /);
  assert.ok(response.headers.get('content-security-policy')?.includes(`'sha256-${hash}'`));
  assert.is(/<script|<link|src=|url\(|https?:\/\/(?!\S*\.example)/.test(page), false);
});

test('escapes text', () => {
  assert.is(html`<b>${'<i>&"'}</b>`.source, '<b>&lt;i&gt;&amp;&quot;</b>');
  assert.is(formatProse('a `<b>` c').source, 'a <code>&lt;b&gt;</code> c');
});

test('returns 304 for an unchanged page, with its policy', async () => {
  const { headers } = await server.request('/api/docs');
  const tag = headers.get('etag') ?? '';
  const repeatedResponse = await server.request('/api/docs', { headers: { 'If-None-Match': tag } });
  assert.is(repeatedResponse.status, 304);
  const policy = 'content-security-policy';
  assert.is(repeatedResponse.headers.get(policy), headers.get(policy));
});

test.run();
