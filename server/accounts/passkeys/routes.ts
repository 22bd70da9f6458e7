import type { AddRoute } from '../../http/route';
import { sanitizeIdFromUrl } from '../../lib/url-id';
import type { Services } from '../../services';
import { addPasskey, createPasskeyOptions, readPasskeys, removePasskey } from './own-passkeys';
import { createPasskeyRequest } from './sign-in';

export function addPasskeyRoutes(add: AddRoute, services: Services): void {
  add('POST /api/auth/passkey/begin', {
    action: 'sessions.create',
    respond: ({ address }) => createPasskeyRequest(address, services),
  });
  add('GET /api/account/passkeys', {
    action: 'passkeys.read',
    respond: ({ user }) => readPasskeys(user, services),
  });
  add('POST /api/account/passkeys/begin', {
    action: 'passkeys.change',
    respond: (call) => createPasskeyOptions(call, call.body.password, services),
  });
  add('POST /api/account/passkeys', {
    action: 'passkeys.change',
    status: 201,
    respond: ({ body, user, transact }) => addPasskey(body, user, transact, services),
  });
  add('DELETE /api/account/passkeys/:id', {
    action: 'passkeys.change',
    respond: async ({ params, user, transact }) => {
      await removePasskey(sanitizeIdFromUrl(params.id), user.id, transact);
      return { message: 'The passkey was removed.' };
    },
  });
}
