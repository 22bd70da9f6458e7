import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';

const schema = v.object({
  project_id: v.pipe(v.string(), v.nonEmpty()),
  client_email: v.pipe(v.string(), v.nonEmpty()),
  private_key: v.pipe(v.string(), v.nonEmpty()),
  token_uri: v.optional(v.string(), 'https://oauth2.googleapis.com/token'),
});

export type ServiceAccount = v.InferOutput<typeof schema>;

type AccountFault = 'unreadable' | 'bad-key' | 'bad-token-uri';

/** @param source JSON text, or the path of a file with it */
export function readServiceAccount(
  source: string | undefined,
): ServiceAccount | undefined | AccountFault {
  if (source === undefined) return undefined;
  try {
    const account = v.parse(
      schema,
      JSON.parse(source.trimStart().startsWith('{') ? source : readFileSync(source, 'utf8')),
    );
    if (!isSigningKey(account.private_key)) return 'bad-key';
    return URL.canParse(account.token_uri) && new URL(account.token_uri).protocol === 'https:'
      ? account
      : 'bad-token-uri';
  } catch {
    return 'unreadable';
  }
}

/** Google's keys are RSA in PKCS #8, which signing needs. */
function isSigningKey(pem: string): boolean {
  try {
    return (
      pem.trimStart().startsWith('-----BEGIN PRIVATE KEY-----') &&
      createPrivateKey(pem).asymmetricKeyType === 'rsa'
    );
  } catch {
    return false;
  }
}
