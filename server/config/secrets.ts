/** Secrets from files: `NAME_FILE`, as of Docker and Kubernetes, or a credential of systemd. */
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../db/errors';

/** The variables that hold a secret. */
export const SECRETS = [
  'DATABASE_URL',
  'JWT_SECRET',
  'SMTP_URL',
  'FIREBASE_SERVICE_ACCOUNT',
  'OIDC_CLIENT_SECRET',
  'METRICS_TOKEN',
  'ADMIN_PASSWORD',
] as const;

/** Limits the read, because the path may name an endless device such as /dev/zero. */
const MAX_SECRET_FILE_BYTES = 64 * 1024;

interface SecretsFromFiles {
  values: Record<string, string>;
  /** Sentences that begin with a variable's name. */
  faults: string[];
}

/**
 * Reads the secrets that files hold. A variable that is set wins over systemd's credential.
 * @param variables variables that are not empty
 */
export function readSecretFiles(variables: Readonly<Record<string, string>>): SecretsFromFiles {
  const values: Record<string, string> = {};
  const faults: string[] = [];
  for (const name of SECRETS) {
    const file = variables[`${name}_FILE`];
    if (file !== undefined && variables[name] !== undefined) {
      faults.push(`${name} and ${name}_FILE are both set. Remove one.`);
      continue;
    }
    const credential = credentialPath(name, variables);
    if (variables[name] !== undefined || (file ?? credential) === undefined) continue;
    const content = readSecret(file ?? credential ?? '');
    if (typeof content === 'string') values[name] = content;
    else if (file !== undefined) faults.push(`${name}_FILE names a file that ${content.fault}`);
    else if (!content.isMissing) faults.push(`The systemd credential ${name} ${content.fault}`);
  }
  return { values, faults };
}

/** systemd.exec(5): `LoadCredential=NAME:PATH` puts a file of this name into the folder. */
const credentialPath = (
  name: string,
  { CREDENTIALS_DIRECTORY: folder }: Readonly<Record<string, string>>,
): string | undefined => (folder === undefined ? undefined : join(folder, name));

function readSecret(file: string): string | { fault: string; isMissing: boolean } {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const content = Buffer.alloc(MAX_SECRET_FILE_BYTES + 1);
    const length = readSync(descriptor, content, 0, content.length, 0);
    const secret = content.toString('utf8', 0, length).replace(/\r?\n$/, '');
    if (length > MAX_SECRET_FILE_BYTES)
      return { fault: 'is larger than 64 KiB.', isMissing: false };
    return secret === '' ? { fault: 'is empty.', isMissing: false } : secret;
  } catch (error) {
    const code = errorCode(error);
    return {
      fault: `cannot be read (${code}).`,
      isMissing: code === 'ENOENT',
    };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
