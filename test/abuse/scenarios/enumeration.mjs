import assert from 'node:assert/strict';
import { openServerDatabase } from '../people.mjs';

/** B2: an answer's time does not show whether the account exists. */
export async function testEnumeration({ start, environment }) {
  const server = await start({ TRUSTED_PROXIES: '127.0.0.1,::1' });
  await addAccounts(environment);
  const areas = [];
  /** @type {[place: string, body: (who: string) => object][]} */
  const questions = [
    ['/auth/login', (who) => ({ username: who, password: 'a wrong password' })],
    ['/auth/login', (who) => ({ username: `${who}@mail.example`, password: 'a wrong password' })],
    ['/auth/request-password-reset', (who) => ({ email: `${who}@mail.example` })],
    ['/auth/resend-verification', (who) => ({ email: `${who}@mail.example` })],
  ];
  for (const [place, body] of questions) {
    const times = { known: [], unknown: [] };
    const pairs = place.endsWith('login') ? SIGN_IN_PAIRS : MAIL_PAIRS;
    for (let index = 0; index < pairs + WARM_UP_PAIRS; index += 1) {
      // In random order: the second of a pair could pay for the first.
      const pair = Math.random() < 0.5 ? ['known', 'unknown'] : ['unknown', 'known'];
      for (const kind of pair) {
        const began = performance.now();
        const response = await fetch(`${server.address}/api${place}`, {
          method: 'POST',
          // Each attempt has its own address because of the limit per address.
          headers: {
            'Content-Type': 'application/json',
            'X-Forwarded-For': `198.${index >> 8}.${index & 255}.${kind === 'known' ? 1 : 2}`,
          },
          body: JSON.stringify(body(`${kind}${index % ACCOUNT_COUNT}`)),
        });
        await response.text();
        assert.equal(response.status, place.endsWith('login') ? 401 : 200);
        if (index >= WARM_UP_PAIRS) times[kind].push(performance.now() - began);
      }
    }
    const area = areaUnderCurve(times.known, times.unknown);
    areas.push(`${place} ${area.toFixed(3)}`);
    assert.ok(
      Math.abs(area - 0.5) <= 0.05,
      `${place}: AUC ${area.toFixed(3)} over ${times.known.length} pairs`,
    );
  }
  await server.end('SIGTERM');
  return `AUC ${areas.join(', ')}`;
}

/** Chance moves the AUC of this number of pairs by 0.018 and 0.0105 (one standard deviation). */
const [SIGN_IN_PAIRS, MAIL_PAIRS] = [500, 1500];
const WARM_UP_PAIRS = 20;
/** Enough to stay below every limit for a mailbox or account. */
const ACCOUNT_COUNT = 520;

async function addAccounts(environment) {
  const database = await openServerDatabase(environment);
  for (let index = 0; index < ACCOUNT_COUNT; index += 1) {
    const [name, email] = [`known${index}`, `known${index}@mail.example`];
    const columns =
      'username, username_key, email, email_key, password_hash, role, status, created_at';
    await database.run(
      `insert into users (${columns}) select ?, ?, ?, ?, password_hash, 'CUSTOMER', 'ACTIVE', 0 from users where role = 'ADMIN'`,
      [name, name, email, email],
    );
  }
  await database.close();
}

/** The chance that a known account takes longer; 0.5 means no difference. */
function areaUnderCurve(known, unknown) {
  let longer = 0;
  for (const knownTime of known)
    for (const unknownTime of unknown)
      longer += knownTime > unknownTime ? 1 : knownTime === unknownTime ? 0.5 : 0;
  return longer / (known.length * unknown.length);
}
