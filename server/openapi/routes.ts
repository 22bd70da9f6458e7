/** Where the document is read: by machines, and by people as a page. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Reply, answerCall } from '../http/answer';
import type { App } from '../http/env';
import { isAmong } from '../http/etag';
import type { AddRoute } from '../http/route';
import { sha256 } from '../lib/sha256';
import type { Routes } from './make';

/** A text that is made once, in both forms in which it is asked for. */
interface Made {
  plain: Uint8Array<ArrayBuffer>;
  zipped: Uint8Array<ArrayBuffer>;
  /** Weak: both forms have it. */
  tag: string;
  headers: Record<string, string>;
}

/**
 * Made when somebody asks for the first time, and kept: a start pays nothing for it.
 * @param routes all that were added, by then
 */
export function addDocumentRoutes(app: App, add: AddRoute, routes: Routes): void {
  const readDocument = once(() =>
    import('./make').then(({ makeDocument }) => makeDocument(routes)),
  );
  const readJson = once(async () =>
    keep(JSON.stringify(await readDocument()), { 'Content-Type': 'application/json' }),
  );
  const readPage = once(async () => {
    const { makePage, pagePolicy } = await import('./page/page');
    return keep(makePage(await readDocument()), {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': pagePolicy,
    });
  });

  add('GET /api/openapi.json', {
    action: 'api.read',
    answer: async ({ header }) => reply(await readJson(), header),
  });
  // For people: no part of the contract.
  app.get('/api/docs', async (context) => {
    context.set('endpoint', 'GET /api/docs');
    const { status, headers, body } = reply(await readPage(), (name) => context.req.header(name));
    return answerCall(context, status, body, headers);
  });
}

/** Does it for the first who asks; all wait for that. What failed is tried again. */
function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => {
    result ??= work().catch((error: unknown) => {
      result = undefined;
      throw error;
    });
    return result;
  };
}

async function keep(text: string, headers: Record<string, string>): Promise<Made> {
  const plain = new TextEncoder().encode(text);
  const zipped = new Uint8Array(await promisify(gzip)(plain));
  return { plain, zipped, tag: `"${sha256(text)}"`, headers };
}

function reply(
  { plain, zipped, tag, headers }: Made,
  header: (name: string) => string | undefined,
): Reply {
  // With 304, too: what it says of the page holds in the place of what a browser has kept.
  const common = {
    ...headers,
    ETag: `W/${tag}`,
    'Cache-Control': 'no-cache',
    Vary: 'Accept-Encoding',
  };
  if (isAmong(tag, header('if-none-match'))) return new Reply(304, common, null);
  const isZipped = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(header('accept-encoding') ?? '');
  return new Reply(
    200,
    { ...common, ...(isZipped && { 'Content-Encoding': 'gzip' }) },
    isZipped ? zipped : plain,
  );
}
