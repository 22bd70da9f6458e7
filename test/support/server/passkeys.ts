import * as assert from 'uvu/assert';
import type { Passkey } from '../../../src/shared/contract';
import { makeAuthenticator } from './authenticator';
import type { Authenticator, HostileChanges } from './authenticator';
import type { Result, TestServer } from './server';

/** The passkey calls of a server on which `PASSKEYS` is on. */
export function createPasskeyHelpers(server: TestServer, password: string) {
  const { call, services } = server;
  const begin = async () => (await call('POST /api/auth/passkey/begin')).body;
  const beginAdding = (as: { token: string }) =>
    call('POST /api/account/passkeys/begin', { as, body: { password } });
  async function give(
    as: { token: string },
    passkey: Authenticator,
    twist: HostileChanges = {},
    name = 'Work phone',
  ): Promise<Result<'POST /api/account/passkeys'>> {
    const { body, error } = await beginAdding(as);
    assert.not.ok(error, JSON.stringify(error));
    const sent = passkey.make(body, twist);
    return call('POST /api/account/passkeys', { as, body: { ...sent, name } });
  }
  return {
    /** One on this server's origin. */
    authenticator: (counts = true) =>
      makeAuthenticator(new URL(services.config.publicUrl).origin, counts),
    begin,
    beginAdding,
    give,
    /** Adds one to a person. */
    async added(as: { token: string }, counts = true): Promise<Authenticator & { row: Passkey }> {
      const passkey = makeAuthenticator(new URL(services.config.publicUrl).origin, counts);
      const { status, body, error } = await give(as, passkey);
      assert.is(status, 201, JSON.stringify(error));
      return { ...passkey, row: body };
    },
    async enter(passkey: Authenticator, twist: HostileChanges = {}, from = '198.51.100.7') {
      return call('POST /api/auth/passkey', { body: passkey.use(await begin(), twist), from });
    },
    list: async (as: { token: string }) => (await call('GET /api/account/passkeys', { as })).body,
  };
}
