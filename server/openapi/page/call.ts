import type { JsonSchema } from '@valibot/to-json-schema';
import type {
  Content,
  Document,
  DocumentedParameter,
  Operation,
  Reference,
  Response,
} from '../document';
import { html, joinHtml, formatProse } from './html';
import type { Html } from './html';
import { describeSchema, describeField, listFields, getSchemaName } from './schema';

interface DocumentedCall {
  path: string;
  method: string;
  operation: Operation;
}

export function renderCall(
  { path, method, operation }: DocumentedCall,
  { components }: Document,
): Html {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    '$ref' in parameter ? components.parameters[getSchemaName(parameter.$ref)] : parameter,
  );
  const knownParameters = parameters.filter((parameter) => parameter !== undefined);
  const body = operation.requestBody;
  return html`<details><summary><b class="${method}">${method.toUpperCase()}</b> <code>${path}</code> <span>${operation.summary}</span></summary>
<div class="call" id="${operation.operationId}">
${operation.description && html`<p>${formatProse(operation.description)}</p>`}
<p class="who">${showWho(operation)} Permission: <code>${operation['x-permission']}</code>.</p>
${knownParameters.length === 0 ? undefined : html`<h3>Parameters</h3><ul class="fields">${knownParameters.map(showParameter)}</ul>`}
${body && html`<h3>Body${body.required ? '' : ', optional'}</h3>${showContent(body.content)}`}
<h3>Example</h3>
${showRequest({ path, method, operation }, knownParameters)}
${showResponses(operation)}
</div></details>`;
}

const WHO: Record<string, string> = {
  login: 'a login token',
  deviceKey: 'a device key',
  topicKey: 'a topic key',
  topicKeyAsPassword: 'a topic key as the password',
};

const RIGHTS: Record<string, string> = {
  ADMIN: 'administrators',
  AUDITOR: 'auditors',
  SENDER: 'people who may send to a topic',
};

function showWho({ security }: Operation): Html {
  if (security.length === 0) return html`No authentication.`;
  const securitySchemes = security.flatMap(Object.entries<string[]>);
  const rights = securitySchemes.flatMap(([, names]) => names.map((name) => RIGHTS[name] ?? name));
  if (rights.length > 0) return html`Only ${joinHtml(rights, ' and ')}.`;
  return html`With ${joinHtml(
    securitySchemes.map(([name]) => WHO[name] ?? name),
    ' or ',
  )}.`;
}

const showParameter = ({ name, in: place, description, schema, required }: DocumentedParameter) =>
  describeField(
    name,
    { ...schema, description: `${place === 'header' ? 'Header. ' : ''}${description}` },
    required === true,
  );

function showContent(content: Content): Html {
  return html`${Object.entries(content).map(
    ([type, { schema }]) =>
      html`<p><code>${type}</code>: ${describeSchema(schema)}</p>${listFields(schema)}`,
  )}`;
}

function showRequest(
  { path, method, operation }: DocumentedCall,
  parameters: readonly DocumentedParameter[],
): Html {
  const findExample = (name: string): string =>
    String(parameters.find((parameter) => parameter.name === name)?.example ?? name);
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
  const address = `${path.replace(/\{(\w+)\}/g, (_, name: string) => findExample(name))}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const headers = parameters
    .filter((parameter) => parameter.in === 'header' && parameter.example !== undefined)
    .map(({ name, example }) => `${name}: ${example}`);
  const authorization = operation.security.length > 0 ? ['Authorization: Bearer TOKEN'] : [];
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const lines = [
    `${method.toUpperCase()} ${address}`,
    ...authorization,
    ...headers,
    ...(type === undefined ? [] : [`Content-Type: ${type}`, '', formatExample(body?.example)]),
  ];
  return html`<pre>${lines.join('\n')}</pre>`;
}

const formatExample = (example: unknown): string =>
  typeof example === 'string' ? example : JSON.stringify(example, null, 2);

function showResponses({ responses }: Operation): Html {
  const [successes, rejections] = [true, false].map((isSuccess) =>
    Object.entries(responses).filter(([status]) => status.startsWith('2') === isSuccess),
  );
  return html`${successes?.map(([status, response]) => showResponse(status, response))}
<h3>Other responses</h3><ul class="fields">${rejections?.map(([status, response]) => showRejection(status, response))}</ul>`;
}

function showResponse(status: string, response: Response | Reference): Html {
  const content = '$ref' in response ? {} : (response.content ?? {});
  return html`<h3>Response ${status}</h3>${showContent(content)}${Object.values(content).map(
    ({ example }) => html`<pre>${formatExample(example)}</pre>`,
  )}`;
}

const showRejection = (status: string, response: Response | Reference): Html =>
  html`<li><code>${status}</code> ${response.description ?? ('$ref' in response ? html`<a href="#answer-${getSchemaName(response.$ref)}">${getSchemaName(response.$ref)}</a>` : '')}</li>`;

export const renderShape = (name: string, schema: JsonSchema): Html =>
  html`<details><summary><code>${name}</code></summary><div class="call" id="shape-${name}">${listFields(schema)}</div></details>`;
