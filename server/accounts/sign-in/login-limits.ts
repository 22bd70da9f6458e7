/**
 * What attempts to sign in may add up to, most of all those that fail. Where a person signed in
 * before, only what is tried there counts. All others share limits, which a stranger can use up from
 * the same address. From other networks a stranger cannot: while an account, or all of them, are
 * under attack, each network still has a few attempts of its own.
 */
import { addressBlock, addressNetwork } from '../../http/connections/address';
import type { Limit } from '../../http/rate-limits';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** For a browser that the person is known by. Once it is used up, the browser is a stranger's. */
export const knownLimit = (name: string, clientToken: string): Limit => ({
  key: ['login-known', name, clientToken],
  max: 10,
  windowMilliseconds: 15 * MINUTE,
});

/**
 * Right passwords of an account, counted apart from failures: each costs the server as much work as
 * a wrong one, and whoever knows one must not keep it busy with nothing else.
 */
export const rightLimit = (name: string): Limit => ({
  key: ['login-right', name],
  max: 100,
  windowMilliseconds: 15 * MINUTE,
});

/**
 * For everybody else, the narrowest first. The last attempt that an account takes in an hour comes
 * from the 150th network that attacks it (600 / 4), and the last of all accounts from the 1,800th
 * (10 a second / 5 in a quarter of an hour).
 * @param name the account's username as folded, or what was typed where there is none
 * @param from the address of the connection
 */
export function strangersLimits(name: string, from: string): Limit[] {
  const [address, network] = [addressBlock(from), addressNetwork(from)];
  const accountAttacked: Limit = {
    key: ['login-account', name],
    max: 100,
    windowMilliseconds: HOUR,
    isGauge: true,
  };
  const allAttacked: Limit = {
    key: ['login-all'],
    max: 3000,
    windowMilliseconds: 10 * MINUTE,
    isGauge: true,
  };
  return [
    { key: ['login', name, address], max: 10, windowMilliseconds: 15 * MINUTE },
    {
      key: ['login-attacked', name, network],
      max: 4,
      windowMilliseconds: HOUR,
      onlyWhile: accountAttacked,
    },
    { key: ['login-address', address], max: 50, windowMilliseconds: 15 * MINUTE },
    {
      key: ['login-network', network],
      max: 5,
      windowMilliseconds: 15 * MINUTE,
      onlyWhile: allAttacked,
    },
    accountAttacked,
    { key: ['login-account-most', name], max: 600, windowMilliseconds: HOUR },
    allAttacked,
    { key: ['login-all-most'], max: 6000, windowMilliseconds: 10 * MINUTE },
  ];
}
