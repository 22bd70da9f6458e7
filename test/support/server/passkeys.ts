import * as assert from 'uvu/assert';
import type { Passkey } from '../../../src/shared/contract';
import { createAuthenticator } from './authenticator';
import type { Authenticator, HostileChanges } from './authenticator';
import type { CallResult, TestServer } from './server';

/** The passkey calls of a server on which `PASSKEYS` is on. */
export function createPasskeyHelpers(server: TestServer, password: string) {
  const { call, services } = server;
  const beginSignIn = async () => (await call('POST /api/auth/passkey/begin')).body;
  const beginAdding = (as: { token: string }) =>
    call('POST /api/account/passkeys/begin', { as, body: { password } });
  async function addPasskey(
    as: { token: string },
    passkey: Authenticator,
    hostileChanges: HostileChanges = {},
    name = 'Work phone',
  ): Promise<CallResult<'POST /api/account/passkeys'>> {
    const { body, error } = await beginAdding(as);
    assert.not.ok(error, JSON.stringify(error));
    const credential = passkey.createPasskey(body, hostileChanges);
    return call('POST /api/account/passkeys', { as, body: { ...credential, name } });
  }
  return {
    /** An authenticator on this server's origin. */
    authenticator: (counts = true) =>
      createAuthenticator(new URL(services.config.publicUrl).origin, counts),
    beginSignIn,
    beginAdding,
    addPasskey,
    /** Adds a passkey to a person. */
    async addPasskeyTo(
      as: { token: string },
      counts = true,
    ): Promise<Authenticator & { row: Passkey }> {
      const passkey = createAuthenticator(new URL(services.config.publicUrl).origin, counts);
      const { status, body, error } = await addPasskey(as, passkey);
      assert.is(status, 201, JSON.stringify(error));
      return { ...passkey, row: body };
    },
    async signIn(
      passkey: Authenticator,
      hostileChanges: HostileChanges = {},
      from = '198.51.100.7',
    ) {
      return call('POST /api/auth/passkey', {
        body: passkey.usePasskey(await beginSignIn(), hostileChanges),
        from,
      });
    },
    listPasskeys: async (as: { token: string }) =>
      (await call('GET /api/account/passkeys', { as })).body,
  };
}
