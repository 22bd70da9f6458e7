/**
 * Attacks whole server processes. This takes minutes, so `npm test` does not include it.
 *
 *   node test/abuse/run.mjs [quick] [--again] [NAME …]
 *
 * `quick` takes about two minutes: few kills, 2,000 devices shared, nothing measured. `--again` is
 * for CI: up to six failed scenarios run once more (`../support/second-attempt.mjs`). ROUNDS (20; 100 of
 * `killedReceipts`), DEVICES (10,000), MISBEHAVIORS (2,000) and SEED say how much. The last line
 * is `N passed, N failed`.
 */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { sumResults, repeatFailedFiles } from '../support/second-attempt.mjs';
import { startPostgres } from '../support/processes/postgres.mjs';
import { buildServer, startProcess } from './process.mjs';
import { testKilledStorm } from './scenarios/alerts.mjs';
import { testCheckIns } from './scenarios/check-ins.mjs';
import { testEnumeration } from './scenarios/enumeration.mjs';
import { testEscalationRaces } from './scenarios/escalation.mjs';
import { testLostProcess, testSharedWork } from './scenarios/growth.mjs';
import { testDeadlyRow, testHangingOrigin, testHangingOrigins } from './scenarios/hanging.mjs';
import { testKills } from './scenarios/kills.mjs';
import { testKilledReceipts, testKilledSend } from './scenarios/ledger.mjs';
import { testFloodOfMessages, testHeldSockets } from './scenarios/load.mjs';
import {
  testAliasPaths,
  testHeldMemory,
  testUnreadResponses,
  testUnreadCalls,
} from './scenarios/memory.mjs';
import {
  testClosedLog,
  testFirstPassword,
  testLostDatabase,
  testLostFirstStart,
  testUnreadLog,
} from './scenarios/outputs.mjs';
import { testFloodOfPublishes } from './scenarios/publishing.mjs';
import { testHostilePushServices, testSilentNames } from './scenarios/push-services.mjs';
import { testReceiptsFlood } from './scenarios/receipts.mjs';
import { testRestores } from './scenarios/restores.mjs';
import { testRefusedStart, testStopUnderLoad } from './scenarios/stops.mjs';
import { testMovedWebhook } from './scenarios/webhooks.mjs';
import { testHeaviestUse } from './scenarios/heaviest-use.mjs';
import { startSink } from './push-sink.mjs';

/** These scenarios run one after the other, because they measure time. */
const measured = {
  enumeration: testEnumeration,
  unreadResponses: testUnreadResponses,
  aliasPaths: testAliasPaths,
  heldMemory: testHeldMemory,
  unreadCalls: testUnreadCalls,
  heldSockets: testHeldSockets,
  floodOfMessages: testFloodOfMessages,
  floodOfPublishes: testFloodOfPublishes,
  work: testHeaviestUse,
  receiptsFlood: testReceiptsFlood,
  hostilePushServices: testHostilePushServices,
  silentNames: testSilentNames,
  hangingOrigin: testHangingOrigin,
  hangingOrigins: testHangingOrigins,
};
const notMeasured = {
  kills: testKills,
  killedReceipts: testKilledReceipts,
  killedSend: testKilledSend,
  killedStorm: testKilledStorm,
  escalationRaces: testEscalationRaces,
  checkIns: testCheckIns,
  restores: testRestores,
  stopUnderLoad: testStopUnderLoad,
  refusedStart: testRefusedStart,
  closedLog: testClosedLog,
  unreadLog: testUnreadLog,
  firstPassword: testFirstPassword,
  lostFirstStart: testLostFirstStart,
  lostDatabase: testLostDatabase,
  sharedWork: testSharedWork,
  lostProcess: testLostProcess,
  deadlyRow: testDeadlyRow,
  movedWebhook: testMovedWebhook,
};
const bothEngines = ['sqlite', 'postgres'];
/** The engines of scenarios that do not run on both. */
const ENGINES_BY_OPTION = {
  sharedWork: ['postgres'],
  lostProcess: ['postgres'],
  lostDatabase: ['postgres'],
  restores: ['sqlite'],
  unreadResponses: ['sqlite'],
  aliasPaths: ['sqlite'],
  heldMemory: ['sqlite'],
  unreadCalls: ['sqlite'],
  unreadLog: ['sqlite'],
  movedWebhook: ['sqlite'],
};
const nameOf = ({ name, engine }) => `${name} on ${engine}`;
const enginesOf = (name) => ENGINES_BY_OPTION[name] ?? bothEngines;

const args = process.argv.slice(2);
const isQuick = args[0] === 'quick';
const isAgain = args.includes('--again');
const wanted = args.filter((one) => one !== 'quick' && one !== '--again');
const roundsOf = (name) =>
  Number(process.env.ROUNDS ?? (isQuick ? 6 : name === 'killedReceipts' ? 100 : 20));
const devices = Number(process.env.DEVICES ?? (isQuick ? 2000 : 10_000));
const jobsOf = (scenarios) =>
  Object.entries(scenarios)
    .filter(([name]) =>
      wanted.length ? wanted.includes(name) : !isQuick || name !== 'enumeration',
    )
    .flatMap(([name, scenario]) => enginesOf(name).map((engine) => ({ name, engine, scenario })));
const misbehaviors = Number(process.env.MISBEHAVIORS ?? (isQuick ? 300 : 2000));

const built = await buildServer();
const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-abuse-'));
const sink = await startSink(folder);
const postgres = await startPostgres();

/** @param attempt from 1 on; each has its own folder, database and part of the sink */
async function run({ name, engine, scenario }, attempt) {
  const file = nameOf({ name, engine });
  const counts = { file, passed: 0, failed: 0, skipped: 0, failures: [] };
  const own = `${engine}-${name}-${attempt}`;
  const environment = {
    DATA_DIR: path.join(folder, own),
    PUSH_ALLOWED_HOSTS: sink.host,
    NODE_EXTRA_CA_CERTS: sink.certificate,
    DATABASE_URL:
      engine === 'sqlite' ? '' : await postgres.createDatabase(`${name.toLowerCase()}_${attempt}`),
  };
  const running = [];
  const startServer = async (more = {}) => {
    const server = await startProcess(built, { ...environment, ...more });
    running.push(server);
    return server;
  };
  try {
    const figures = await scenario({
      start: startServer,
      built,
      environment,
      sink: sink.forScenario(own),
      rounds: roundsOf(name),
      quick: isQuick,
      devices,
      misbehaviors,
    });
    console.log(`ok     ${file}: ${figures}`);
    return { ...counts, passed: 1 };
  } catch (error) {
    console.log(`FAILED ${file}: ${error.message}\n${error.stack}`);
    for (const server of running) await server.end('SIGKILL');
    const failure = { file, reason: error.message.split('\n')[0] };
    return { ...counts, failed: 1, failures: [failure] };
  }
}

const results = [];
try {
  for (const job of jobsOf(measured)) results.push(await run(job, 1));
  results.push(...(await Promise.all(jobsOf(notMeasured).map((job) => run(job, 1)))));
  if (isAgain) {
    const jobs = jobsOf({ ...measured, ...notMeasured });
    const after = await repeatFailedFiles(results, (file) =>
      run(
        jobs.find((job) => nameOf(job) === file),
        2,
      ),
    );
    results.splice(0, results.length, ...after.results);
    console.log(`\n${after.lines.join('\n')}\n`);
  }
} finally {
  sink.stop();
  await postgres.stop();
  await fs.rm(folder, { recursive: true, force: true });
  await fs.rm(built, { recursive: true, force: true });
}
const { passed, failed } = sumResults(results);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
