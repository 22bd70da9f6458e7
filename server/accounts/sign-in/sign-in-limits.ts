/**
 * Known browsers have their own limits. Strangers share theirs, but each network keeps a few
 * attempts while an account, or all of them, are under attack.
 */
import { rateLimitAddress, auditNetwork } from '../../http/connections/client-address';
import type { Limit } from '../../http/rate-limits';
import { MINUTE_MS, HOUR_MS } from '../../lib/durations';

/** A known browser has a limit of its own. After that, it counts like any other browser. */
export const knownBrowserLimit = (name: string, clientToken: string): Limit => ({
  key: ['login-known', name, clientToken],
  max: 10,
  windowMs: 15 * MINUTE_MS,
});

/** Right passwords: each costs a hash, too. */
export const correctPasswordLimit = (name: string): Limit => ({
  key: ['login-right', name],
  max: 100,
  windowMs: 15 * MINUTE_MS,
});

/** Narrowest first. Using up an account's attempts of an hour takes 150 networks (600 / 4). */
export function unknownBrowserLimits(name: string, callerAddress: string): Limit[] {
  const [address, network] = [rateLimitAddress(callerAddress), auditNetwork(callerAddress)];
  const accountAttackLimit: Limit = {
    key: ['login-account', name],
    max: 100,
    windowMs: HOUR_MS,
    isCountOnly: true,
  };
  const overallAttackLimit: Limit = {
    key: ['login-all'],
    max: 3000,
    windowMs: 10 * MINUTE_MS,
    isCountOnly: true,
  };
  return [
    { key: ['login', name, address], max: 10, windowMs: 15 * MINUTE_MS },
    {
      key: ['login-attacked', name, network],
      max: 4,
      windowMs: HOUR_MS,
      onlyWhile: accountAttackLimit,
    },
    { key: ['login-address', address], max: 50, windowMs: 15 * MINUTE_MS },
    {
      key: ['login-network', network],
      max: 5,
      windowMs: 15 * MINUTE_MS,
      onlyWhile: overallAttackLimit,
    },
    accountAttackLimit,
    { key: ['login-account-most', name], max: 600, windowMs: HOUR_MS },
    overallAttackLimit,
    { key: ['login-all-most'], max: 6000, windowMs: 10 * MINUTE_MS },
  ];
}
