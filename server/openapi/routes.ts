/** Serves the document as JSON, and as a page for people. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { CustomResponse, respond } from '../http/response';
import type { App } from '../http/env';
import { matchesEtag } from '../http/etag';
import type { AddRoute } from '../http/route';
import { sha256 } from '../lib/sha256';
import type { Routes } from './document-builder';

interface DocumentFile {
  plain: Uint8Array<ArrayBuffer>;
  zipped: Uint8Array<ArrayBuffer>;
  /** The ETag is weak, because both forms of the page share it. */
  tag: string;
  headers: Record<string, string>;
}

/** The document is built and cached at the first request, so that a start is fast. */
export function addOpenApiRoutes(app: App, add: AddRoute, routes: Routes): void {
  const readDocument = memoize(() =>
    import('./document-builder').then(({ buildDocument }) => buildDocument(routes)),
  );
  const readJson = memoize(async () =>
    compressText(JSON.stringify(await readDocument()), { 'Content-Type': 'application/json' }),
  );
  const readPage = memoize(async () => {
    const { renderPage, pagePolicy } = await import('./page/page');
    return compressText(renderPage(await readDocument()), {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': pagePolicy,
    });
  });

  add('GET /api/openapi.json', {
    action: 'api.read',
    respond: async ({ header }) => respondWithDocument(await readJson(), header),
  });
  // The page is not a part of the contract.
  app.get('/api/docs', async (context) => {
    context.set('endpoint', 'GET /api/docs');
    const { status, headers, body } = respondWithDocument(await readPage(), (name) =>
      context.req.header(name),
    );
    return respond(context, status, body, headers);
  });
}

/** Runs once for all callers; a failure is retried. */
function memoize<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => {
    result ??= work().catch((error: unknown) => {
      result = undefined;
      throw error;
    });
    return result;
  };
}

async function compressText(text: string, headers: Record<string, string>): Promise<DocumentFile> {
  const plainBytes = new TextEncoder().encode(text);
  const zipped = new Uint8Array(await promisify(gzip)(plainBytes));
  return { plain: plainBytes, zipped, tag: `"${sha256(text)}"`, headers };
}

function respondWithDocument(
  { plain: plainBytes, zipped, tag, headers }: DocumentFile,
  header: (name: string) => string | undefined,
): CustomResponse {
  // A 304 has these headers, too: they update what the browser has stored.
  const commonHeaders = {
    ...headers,
    ETag: `W/${tag}`,
    'Cache-Control': 'no-cache',
    Vary: 'Accept-Encoding',
  };
  if (matchesEtag(tag, header('if-none-match')))
    return new CustomResponse(304, commonHeaders, null);
  const isZipped = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(header('accept-encoding') ?? '');
  return new CustomResponse(
    200,
    { ...commonHeaders, ...(isZipped && { 'Content-Encoding': 'gzip' }) },
    isZipped ? zipped : plainBytes,
  );
}
