/**
 * Limits of sign-ins, most of all of failures. A known browser has limits of its own; strangers share
 * theirs, but each network keeps a few attempts while an account or all of them are attacked.
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

/** Right passwords, counted apart: each costs as much work as a wrong one. */
export const rightLimit = (name: string): Limit => ({
  key: ['login-right', name],
  max: 100,
  windowMilliseconds: 15 * MINUTE,
});

/**
 * For everybody else, the narrowest first. It takes 150 networks to use up an account's attempts of an
 * hour (600 / 4).
 * @param name the folded username, or what was typed where there is none
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
