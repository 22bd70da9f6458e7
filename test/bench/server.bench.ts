/**
 * One server with 10,000 users and 1,000 topics on each engine: lists and sign-in at 50
 * connections, and memory while sending to 10,000 devices.
 * `npm run bench -- server --seconds 5 --rounds 3`
 */
import { verify } from '@node-rs/argon2';
import autocannon from 'autocannon';
import { hashPassword } from '../../server/accounts/passwords/passwords';
import { ABUSE_ADMIN } from '../abuse/process.mjs';
import { getMedian, readOption } from './measure';
import { prepareServers, type Engine } from './measured-servers';

const USER_COUNT = readOption('users', 10_000);
const DEVICE_COUNT = readOption('devices', 10_000);
const MEASURED_SECONDS = readOption('seconds', 5);
const ROUNDS = readOption('rounds', 3);
const CONNECTION_COUNT = 50;

interface Rate {
  perSecond: number;
  /** Milliseconds. */
  p99: number;
}
type Bench = (address: string, token: string) => Promise<Rate>;

const list =
  (place: string): Bench =>
  (address, token) =>
    runLoad({
      url: `${address}/api/admin/${place}`,
      headers: { Authorization: `Bearer ${token}` },
    });

/** Each connection is another person at another address, so that no limit counts. */
const signInAsMany: Bench = (address) => {
  let connection = 0;
  return runLoad({
    url: `${address}/api/auth/login`,
    method: 'POST',
    setupClient(client) {
      connection += 1;
      client.setHeaders({
        'Content-Type': 'application/json',
        'X-Forwarded-For': `198.18.0.${connection}`,
      });
      client.setBody(
        JSON.stringify({ username: `user ${connection}`, password: ABUSE_ADMIN.password }),
      );
    },
  });
};

const benches: Record<string, Bench> = {
  'users, first page': list('users'),
  'users, last page': list(`users?page=${USER_COUNT / 10}`),
  'users, a search': list('users?query=user+777'),
  'topics, first page': list('topics'),
  'sign in': signInAsMany,
};

async function runLoad(
  options: Omit<Parameters<typeof autocannon>[0], 'connections' | 'duration'>,
): Promise<Rate> {
  const { requests, latency, non2xx, errors } = await autocannon({
    connections: CONNECTION_COUNT,
    duration: MEASURED_SECONDS,
    ...options,
  });
  if (non2xx + errors > 0) throw new Error(`${options.url}: ${non2xx} refusals, ${errors} errors`);
  return { perSecond: requests.average, p99: latency.p99 };
}

/** Passwords that this machine checks in a second, which bounds sign-in. */
async function checkPasswords(): Promise<number> {
  const hash = await hashPassword(ABUSE_ADMIN.password);
  const until = performance.now() + MEASURED_SECONDS * 1000;
  let checkedCount = 0;
  const check = async (): Promise<void> => {
    for (; performance.now() < until; checkedCount += 1) await verify(hash, ABUSE_ADMIN.password);
  };
  await Promise.all(Array.from({ length: CONNECTION_COUNT }, check));
  return checkedCount / MEASURED_SECONDS;
}

const { servers, stop } = await prepareServers({ users: USER_COUNT, topics: 1000 });
try {
  await compareRates();
  for (const server of servers) {
    const { perSecond, peak, idle } = await server.fanOut(DEVICE_COUNT);
    console.log(
      `fan-out of ${DEVICE_COUNT} devices by a server process on ${server.engine}: ${perSecond.toFixed()}/s, memory ${idle} MB before, ${peak} MB at most (aim: 150)`,
    );
  }
} finally {
  await stop();
}

async function compareRates(): Promise<void> {
  const results = Object.keys(benches).map((name) => ({
    name,
    rates: { SQLite: [], PostgreSQL: [] } as Record<Engine, Rate[]>,
  }));
  const checks: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    for (const { name, rates } of results) {
      for (const { engine, address, token } of servers)
        rates[engine].push(await benches[name]!(address, token));
    }
    checks.push(await checkPasswords());
  }
  console.log(
    `one server process, ${USER_COUNT} users, ${CONNECTION_COUNT} connections, median of ${ROUNDS} (requests/s, p99)`,
  );
  console.log(`  ${''.padEnd(22)}${'SQLite'.padStart(18)}${'PostgreSQL'.padStart(18)}   ratio`);
  for (const { name, rates } of results) {
    const [sqlite, postgres] = [median(rates.SQLite), median(rates.PostgreSQL)];
    console.log(
      `  ${name.padEnd(22)}${describeRate(sqlite)}${describeRate(postgres)}${(postgres.perSecond / sqlite.perSecond).toFixed(2).padStart(8)}`,
    );
    if (name !== 'sign in') continue;
    const bare = getMedian(checks);
    const share = (rate: Rate) => `${((100 * rate.perSecond) / bare).toFixed()}%`;
    console.log(
      `  argon2 alone checks ${bare.toFixed()} passwords/s here: sign-in reaches ${share(sqlite)} and ${share(postgres)} of that, which is its bound on purpose`,
    );
  }
}

function median(rates: Rate[]): Rate {
  return {
    perSecond: getMedian(rates.map(({ perSecond }) => perSecond)),
    p99: getMedian(rates.map(({ p99 }) => p99)),
  };
}

function describeRate({ perSecond, p99 }: Rate): string {
  return `${perSecond.toFixed()}/s ${p99.toFixed().padStart(5)} ms`.padStart(18);
}
