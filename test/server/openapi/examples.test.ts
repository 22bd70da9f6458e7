/** Sends each example of the document to a server with its people. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonSchema } from '@valibot/to-json-schema';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSession } from '../../../server/http/access/session';
import { sampleStormTopic } from '../../support/openapi/samples';
import type { Document, Operation, Response as Documented } from '../../../server/openapi/document';
import {
  NO_KEY,
  listExamples,
  isRepeatable,
  buildRequest,
  listContentTypes,
} from '../../support/openapi/examples';
import type { ExampleRequest } from '../../support/openapi/examples';
import { createSampleServer } from '../../support/openapi/sample-server';
import type { SampleServer } from '../../support/openapi/sample-server';

const test = suite('examples');

let sampleServer: SampleServer;
let document: Document;
let ajv: Ajv2020;
test.before(async () => {
  sampleServer = await createSampleServer();
  document = await (await sampleServer.server.request('/api/openapi.json')).json();
  ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', ...(forbidExtraFields(document) as object) });
});
test.after(() => sampleServer.server.close());

/** Forbids undocumented fields, so that none is missing in the document. */
function forbidExtraFields(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(forbidExtraFields);
  if (typeof part !== 'object' || part === null) return part;
  const whole = Object.fromEntries(
    Object.entries(part).map(([name, one]) => [name, forbidExtraFields(one)]),
  );
  return 'properties' in part && 'type' in part && !('example' in part)
    ? { additionalProperties: false, ...whole }
    : whole;
}

/** One validator per schema: rejections reuse the same schemas hundreds of times. */
const validators = new Map<string, ReturnType<Ajv2020['compile']>>();

function expectShape(place: string, schema: JsonSchema, value: unknown, isExact = true): void {
  const text = JSON.stringify(isExact ? forbidExtraFields(schema) : schema).replaceAll(
    '"#/',
    '"document#/',
  );
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validate);
  assert.is(validate(value), true, `${place}: ${ajv.errorsText(validate.errors)}`);
}

const documentedOf = ({ responses }: Operation): [status: number, answer: Documented] => {
  const [[status, response] = []] = Object.entries(responses).filter(([one]) =>
    one.startsWith('2'),
  );
  if (response === undefined || '$ref' in response) throw new Error('It documents no success.');
  return [Number(status), response];
};

// Before anything is changed or removed.
test('rejects each call without a token and with a wrong body as documented', async () => {
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const example = { method, path, operation, type: listContentTypes(operation).at(-1) };
      if (operation.security.length > 0)
        await expectRejection(401, example, { Authorization: 'none' });
      if (operation.requestBody === undefined) continue;
      await expectRejection(400, example, {}, example.type === 'text/csv' ? 'a@b.example' : '[]');
      await expectRejection(415, example, { 'Content-Type': 'application/xml' });
      await expectRejection(413, example, {}, example.type === 'text/csv' ? HUGE_TEXT : LARGE_TEXT);
    }
});

const LARGE_TEXT = `"${' '.repeat(2 ** 20)}"`;
const HUGE_TEXT = `"${' '.repeat(2 ** 21)}"`;

test('responds to each example with the documented status and shape', async () => {
  for (const example of listExamples(document)) {
    const call = [example.method.toUpperCase(), example.path, example.type].join(' ');
    const [status, documentedResponse] = documentedOf(example.operation);
    const [path, init] = await buildRequest(example, document, sampleServer);
    if (isRepeatable(example.operation))
      await expectRejection(400, example, { 'Idempotency-Key': NO_KEY });
    const response = await sampleServer.server.request(path, init);
    const text = await response.text();
    assert.is(response.status, status, `${call}: ${text}`);
    const [[type = '', { schema = {} } = {}] = []] = Object.entries(
      documentedResponse.content ?? {},
    );
    assert.is(response.headers.get('content-type')?.split(';')[0], type, call);
    const isExact = example.path !== '/api/openapi.json';
    expectShape(call, schema, type.endsWith('json') ? JSON.parse(text) : text, isExact);
    await expectTag(call, example, response);
    if (isRepeatable(example.operation)) {
      const repeatedResponse = await sampleServer.server.request(path, init);
      assert.is(repeatedResponse.status, status, `${call}, again`);
      assert.is(
        withoutClient(await repeatedResponse.text()),
        withoutClient(text),
        `${call}, again`,
      );
    }
  }
});

/** A browser gets another token each time. */
const withoutClient = (text: string): string => text.replace(/"clientToken":"[^"]*"/, '');

/** Checks that the call is rejected, as documented. */
async function expectRejection(
  status: number,
  example: ExampleRequest,
  change: Record<string, string>,
  body?: string,
): Promise<void> {
  const [path, init] = await buildRequest(example, document, sampleServer);
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(change)) headers.set(name, value);
  const bodyField = body === undefined ? {} : { body };
  const response = await sampleServer.server.request(path, { ...init, ...bodyField, headers });
  const callName = `${example.method} ${example.path}: ${status}`;
  assert.is(response.status, status, callName);
  assert.ok(status in example.operation.responses, `${callName} is documented`);
  expectShape(callName, { $ref: '#/components/schemas/Error' }, await response.json());
}

async function expectTag(call: string, example: ExampleRequest, response: Response): Promise<void> {
  const tag = response.headers.get('etag');
  assert.is(tag !== null, documentedOf(example.operation)[1].headers?.ETag !== undefined, call);
  assert.is(tag !== null, '304' in example.operation.responses, call);
  if (tag === null) return;
  const [path, init] = await buildRequest(example, document, sampleServer);
  const headers = new Headers(init.headers);
  headers.set('If-None-Match', tag);
  assert.is((await sampleServer.server.request(path, { ...init, headers })).status, 304, call);
}

test('contains examples that match their schemas', () => {
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const contents = [
        ...Object.values(operation.requestBody?.content ?? {}),
        ...Object.values(documentedOf(operation)[1].content ?? {}),
      ];
      for (const { schema, example } of contents) expectShape(`${method} ${path}`, schema, example);
      for (const parameter of operation.parameters ?? [])
        if ('example' in parameter)
          expectShape(`${method} ${path}`, parameter.schema, parameter.example);
    }
});

test('rejects with the documented shape', async () => {
  const response = await sampleServer.server.request('/api/admin/topics', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${await createSession(sampleServer.admin, sampleServer.server.services)}`,
    },
    body: JSON.stringify({ title: '', description: sampleStormTopic.description }),
  });
  assert.is(response.status, 400);
  expectShape('400', { $ref: '#/components/schemas/Error' }, await response.json());
});

test.run();
