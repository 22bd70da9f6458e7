// The person's own passkeys. Only builds with `PASSKEYS` contain this code.
import { call } from '../../api/call';
import { ApiError } from '../../api/error';
import { hasPasskeys, createPasskey } from '../../platform/passkeys';
import {
  passkeySchema,
  passkeyCreationSchema,
  passkeysSchema,
} from '../../shared/contract/passkeys' with { type: 'example' };
import type { Passkeys } from '../../shared/contract';

export const PASSKEYS_FAILED = 'Failed to load your passkeys.';
export const PASSKEY_ADD_FAILED = 'Failed to add the passkey.';
export const PASSKEY_REMOVE_FAILED = 'Failed to remove the passkey.';

/** @throws {ApiError} */
export const readPasskeys = (): Promise<Passkeys> =>
  call('GET /api/account/passkeys', { fallback: PASSKEYS_FAILED, like: passkeysSchema });

/** @throws {Error} with the sentence to show, and path `password` if it is wrong */
export async function addPasskey(name: string, password: string): Promise<void> {
  if (!hasPasskeys()) throw new ApiError('garbled', 'This browser doesn’t support passkeys.');
  const options = await call('POST /api/account/passkeys/begin', {
    body: { password },
    fallback: PASSKEY_ADD_FAILED,
    like: passkeyCreationSchema,
  });
  const newPasskey = await createPasskey(options).catch((error: Error) => {
    throw new ApiError(
      'garbled',
      error.name === 'InvalidStateError'
        ? 'This device already has a passkey for your account.'
        : 'No passkey was added. Try again.',
    );
  });
  await call('POST /api/account/passkeys', {
    body: { ...newPasskey, name },
    fallback: PASSKEY_ADD_FAILED,
    like: passkeySchema,
  });
}

/** @throws {ApiError} */
export const removePasskey = (id: string): Promise<unknown> =>
  call('DELETE /api/account/passkeys/:id', { params: { id }, fallback: PASSKEY_REMOVE_FAILED });
