/** The OpenAPI document's examples as requests to a sample world. */
import type { Document, DocumentedParameter, Operation } from '../../../server/openapi/document';
import type { SampleServer } from './sample-server';

export interface ExampleRequest {
  method: string;
  path: string;
  operation: Operation;
  type: string | undefined;
}

/** An invalid key, because it is not visible ASCII. */
export const NO_KEY = 'ÿÿ';

/** Reads come first, deletions last. */
const METHOD_ORDER = ['get', 'put', 'post', 'delete'];

/** One example for each kind of body; undefined if the call has no body. */
export function listContentTypes({ requestBody }: Operation): (string | undefined)[] {
  return requestBody === undefined ? [undefined] : Object.keys(requestBody.content);
}

export const isRepeatable = ({ parameters = [] }: Operation): boolean =>
  parameters.some((one) => '$ref' in one && one.$ref.endsWith('/IdempotencyKey'));

/** The examples in an order in which each can succeed. */
export const listExamples = (document: Document): ExampleRequest[] =>
  Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        listContentTypes(operation).map(
          (type): ExampleRequest => ({ method, path, operation, type }),
        ),
      ),
    )
    .sort((one, other) => METHOD_ORDER.indexOf(one.method) - METHOD_ORDER.indexOf(other.method));

const textOf = (example: unknown): string =>
  typeof example === 'string' ? example : JSON.stringify(example);

/** Replaces the samples' ids and keys with real ones. */
export async function buildRequest(
  { method, path, operation, type }: ExampleRequest,
  document: Document,
  sampleServer: SampleServer,
): Promise<[string, RequestInit]> {
  const parameters = (operation.parameters ?? []).map((one): DocumentedParameter => {
    if (!('$ref' in one)) return one;
    const found = document.components.parameters[one.$ref.split('/').at(-1) ?? ''];
    if (found === undefined) throw new Error(one.$ref);
    return found;
  });
  const givenParameters = parameters.filter(({ example }) => example !== undefined);
  const query = new URLSearchParams(
    givenParameters
      .filter((one) => one.in === 'query')
      .map(({ name, example }) => [name, String(example)]),
  );
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(givenParameters.find((one) => one.name === name)?.example)),
  );
  const headers = new Headers(
    givenParameters
      .filter((one) => one.in === 'header')
      .map(({ name, example }) => [name, String(example)]),
  );
  // Each call gets its own key. Calls that cannot be repeated get an invalid key.
  const key = isRepeatable(operation) ? `${operation.operationId} ${type}` : NO_KEY;
  headers.set('Idempotency-Key', key.replace(' ', '-'));
  const content = operation.requestBody?.content[type ?? ''];
  if (type !== undefined) headers.set('Content-Type', type);
  const authorization = await sampleServer.authorize(operation);
  if (authorization !== undefined) headers.set('Authorization', authorization);
  const body =
    content === undefined ? null : sampleServer.replaceSampleIds(textOf(content.example));
  return [
    `${sampleServer.replaceSampleIds(filled)}?${query}`,
    { method: method.toUpperCase(), headers, body },
  ];
}
