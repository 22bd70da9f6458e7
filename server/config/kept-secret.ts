/** The secret that an installation without `JWT_SECRET` keeps in `DATA_DIR`. */
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../db/errors';
import { createFolder } from '../db/create-folder';
import { ConfigError } from './config';
import { SECRET_BYTES } from './variables';

/**
 * Reads the secret, or creates it: written aside and linked into place, so that processes that
 * start together get the same one.
 * @throws ConfigError if it is too weak
 */
export function loadOrCreateSecret(dataDir: string): string {
  const file = join(dataDir, 'jwt-secret');
  const secret = readSecret(file) ?? createSecretFile(file, dataDir);
  if (Buffer.byteLength(secret) >= SECRET_BYTES) return secret;
  throw new ConfigError(
    `The file jwt-secret in DATA_DIR must have at least ${SECRET_BYTES} bytes. If you delete the file, Fieldbell creates a new one at the next start.`,
  );
}

function createSecretFile(file: string, dataDir: string): string {
  createFolder(dataDir);
  const temporaryFile = `${file}.${randomBytes(6).toString('hex')}`;
  const secret = randomBytes(32).toString('base64url');
  writeFileSync(temporaryFile, secret, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(temporaryFile, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(temporaryFile);
  }
  return readFileSync(file, 'utf8').trim();
}

function readSecret(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
