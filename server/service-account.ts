import { readFileSync } from 'node:fs';
import * as v from 'valibot';

const schema = v.object({
  project_id: v.pipe(v.string(), v.nonEmpty()),
  client_email: v.pipe(v.string(), v.nonEmpty()),
  private_key: v.pipe(v.string(), v.nonEmpty()),
  token_uri: v.optional(v.string(), 'https://oauth2.googleapis.com/token'),
});

/** What Google's console gives for a service account; only what sending needs. */
export type ServiceAccount = v.InferOutput<typeof schema>;

/** @param source JSON text, or the path of a file that holds it; undefined means there is none */
export function readServiceAccount(source: string | undefined): ServiceAccount | undefined | 'unreadable' {
  if (source === undefined) return undefined;
  try {
    return v.parse(schema, JSON.parse(source.trimStart().startsWith('{') ? source : readFileSync(source, 'utf8')));
  } catch {
    return 'unreadable';
  }
}
