/** The document as a page: one file, without scripts. */
import { createHash } from 'node:crypto';
import type { Document } from '../document';
import { renderCall, renderShape } from './call';
import { Html, html, formatProse } from './html';
import { OPENAPI_PAGE_STYLE } from './style';

/** Allows only the page's own style. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(OPENAPI_PAGE_STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function renderPage(document: Document): string {
  const { info, tags, components } = document;
  const toAnchor = (name: string): string => name.toLowerCase().replace(/\W+/g, '-');
  const headings = [...tags.map(({ name }) => name), 'Errors', 'Schemas'];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${info.title} API</title>
<style>${new Html(OPENAPI_PAGE_STYLE)}</style>
</head>
<body>
<header>
<h1>${info.title} API</h1>
${info.description.split('\n\n').map((paragraph) => html`<p>${formatProse(paragraph)}</p>`)}
<p>Version ${info.version}. Machine-readable: <a href="/api/openapi.json">openapi.json</a> (OpenAPI ${document.openapi}).</p>
<nav aria-label="Parts"><ul>${headings.map((name) => html`<li><a href="#${toAnchor(name)}">${name}</a></li>`)}</ul></nav>
</header>
<main>
${tags.map(({ name, description }) => html`<section aria-labelledby="${toAnchor(name)}"><h2 id="${toAnchor(name)}">${name}</h2><p>${description}</p>${renderCalls(name, document)}</section>`)}
<section aria-labelledby="errors"><h2 id="errors">Errors</h2><p>A call that fails gets one of these responses, unless its own description says otherwise.</p>
<ul class="fields">${Object.entries(components.responses).map(([name, { description }]) => html`<li id="answer-${name}"><code>${name}</code> ${description}</li>`)}</ul></section>
<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>${Object.entries(components.schemas).map(([name, schema]) => renderShape(name, schema))}</section>
</main>
</body>
</html>
`.source;
}

const renderCalls = (tag: string, document: Document): Html[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => renderCall({ path, method, operation }, document)),
  );
