import { readFileSync, readdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { VARIABLES } from '../../../server/config/variables';
import { createMetrics } from '../../../server/lib/metrics';
import type { HealthTrouble } from '../../../server/operations/health';
import { readPushServices } from '../../../server/operations/push-services';
import type { ResponseOf } from '../../../src/shared/contract';
import { createServer } from '../../support/server/server';

const test = suite('server/deploy');
const FOLDER = 'server/deploy';
const read = (file: string): string => readFileSync(`${FOLDER}/${file}`, 'utf8');

/** Every word of an expression that could be a metric. */
const metricsIn = (expression: string): string[] =>
  expression.match(/\b(?:fieldbell|nodejs|process)_\w+/g) ?? [];

test('exposes every metric and label that dashboard and alert rules use', async () => {
  const server = await createServer();
  const { db } = server.services;
  await db
    .insertInto('push_services')
    .values({ origin: 'https://web.push.apple.com', state: 'unreachable' })
    .execute();
  const metrics = createMetrics({
    db,
    now: Date.now,
    readPushServices: () => readPushServices(server.services),
    ofProcess: true,
    countConnections: () => ({ used: 1 }),
  });
  metrics.countRequest('GET /api/health', 200, 0.01);
  metrics.countPush('web-push', 'misconfigured');
  // Prometheus' increase() needs a 0 before the first failure, so nothing else is counted here.
  const text = await metrics.read();
  await server.close();
  const names = new Set(text.match(/^\w+/gm));
  const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  const rules = read('prometheus-alerts.yml').match(/^ +expr: (.+)$/gm) ?? [];
  const expressions = [
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...rules,
  ];
  assert.ok(rules.length > 5 && dashboard.panels.length > 8);
  for (const expression of expressions) {
    for (const name of metricsIn(expression)) assert.ok(names.has(name), name);
    for (const [, label, value] of expression.matchAll(/(outcome)="([^"]+)"/g))
      assert.ok(text.includes(`${label}="${value}"`), `${label} ${value}`);
  }
  // `instance` is Prometheus' own.
  for (const [, labels = ''] of expressions.join('\n').matchAll(/by \(([^)]+)\)/g))
    for (const label of labels.split(', '))
      if (label !== 'instance') assert.match(text, new RegExp(`[{,]${label}="`), label);
});

test('shows every metric of ours on the dashboard', async () => {
  const server = await createServer();
  const metrics = createMetrics({ db: server.services.db, now: Date.now });
  const text = await metrics.read();
  await server.close();
  const ours = [...text.matchAll(/^# HELP (fieldbell_\w+)/gm)].map(([, name]) => name ?? '');
  const shown = read('grafana-dashboard.json');
  assert.ok(ours.length > 5);
  for (const name of ours) assert.ok(shown.includes(name), name);
});

type Health = Omit<ResponseOf<'GET /api/health'>, 'version'>;

/** What health can say, and its rule. A process that waits for its database has no metrics. */
const RULES: {
  status: Record<Health['status'] | HealthTrouble, string>;
  delivery: Record<Health['delivery'], string>;
  pushServices: Record<Health['pushServices']['state'], string>;
  mail: Record<Health['mail'], string>;
} & Record<keyof Health, unknown> = {
  status: {
    ok: '',
    stopping: '',
    'the database is unreachable': 'FieldbellUnhealthy',
    'the database rejects writes': 'FieldbellUnhealthy',
  },
  delivery: { ok: '', late: 'FieldbellDelivery', refused: 'FieldbellDelivery' },
  pushServices: {
    accepting: '',
    reachable: '',
    quiet: '',
    unknown: '',
    unused: '',
    unreachable: 'FieldbellPushServiceUnreachable',
    refusing: 'FieldbellPushesRefused',
    throttled: 'FieldbellThrottled',
  },
  mail: { ok: '', late: 'FieldbellMail', failing: 'FieldbellMail' },
};

test('has a rule for each state of health', () => {
  const rules = [
    ...read('prometheus-alerts.yml').matchAll(
      /alert: (\w+)\n +expr: max by \(.+?\) \((.+)\) == 1/g,
    ),
  ];
  const fits = (labels: Record<string, string>, selector: string): boolean =>
    [...selector.matchAll(/(\w+)(=|!=|!~)"([^"]*)"/g)].every(
      ([, label = '', operator, value = '']) => {
        const labelValue = labels[label] ?? '';
        if (operator === '=') return labelValue === value;
        return operator === '!='
          ? labelValue !== value
          : !new RegExp(`^(?:${value})$`).test(labelValue);
      },
    );
  for (const [check, states] of Object.entries(RULES))
    for (const [state, rule] of Object.entries(states)) {
      const metric = check === 'pushServices' ? 'fieldbell_push_service_state' : 'fieldbell_health';
      const firing = rules.filter(
        ([, , selector = '']) =>
          selector.startsWith(`${metric}{`) && fits({ check, state }, selector),
      );
      assert.equal(
        firing.map(([, name]) => name),
        rule === '' ? [] : [rule],
        `${check}: ${state}`,
      );
    }
});

test('reads every variable that compose file, unit and image set', () => {
  const others = ['NODE_ENV', 'POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD'];
  const set = [
    ...[...read('compose.yaml').matchAll(/^ {6}([A-Z_]+):/gm)].map(([, name]) => name),
    ...[...read('fieldbell@.service').matchAll(/^Environment=(.+)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').map((each) => each.split('=')[0]),
    ),
    ...[...read('Dockerfile').matchAll(/^ENV (.+)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').map((each) => each.split('=')[0]),
    ),
  ];
  assert.ok(set.length > 8);
  for (const name of set) assert.ok([...VARIABLES, ...others].includes(name ?? ''), name);
  for (const name of ['SMTP_URL', 'MAIL_FROM', 'ADMIN_USERNAME', 'ADMIN_PASSWORD'])
    assert.ok(read('compose.yaml').includes(`  ${name}: \${${name}:-}\n`), name);
});

test('passes every setting of the build on to the image', () => {
  const [, table = ''] =
    /\| the build reads \|.*\n\| --- .*\n((?:\|.*\n)+)/.exec(readFileSync('README.md', 'utf8')) ??
    [];
  const settings = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  const passedLines = [...read('Dockerfile').matchAll(/^ARG (.+)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map((each) => each.split('=')[0]),
  );
  assert.ok(settings.length > 6);
  assert.equal(passedLines.sort(), [...settings, 'NODE_IMAGE'].sort());
});

test('leaves enough time to stop', () => {
  const [, seconds] = /DRAIN_SECONDS=(\d+)/.exec(read('fieldbell@.service')) ?? [];
  const [, ofUnit] = /TimeoutStopSec=(\d+)/.exec(read('fieldbell@.service')) ?? [];
  const [, drain] = /DRAIN_SECONDS: (\d+)/.exec(read('compose.yaml')) ?? [];
  const [, grace] = /stop_grace_period: (\d+)s/.exec(read('compose.yaml')) ?? [];
  assert.ok(Number(ofUnit) > Number(seconds) + 10);
  assert.ok(Number(grace) > Number(drain) + 10);
});

test('names only example hosts and addresses', () => {
  for (const file of readdirSync(FOLDER)) {
    for (const [address] of read(file).matchAll(/\b\d+\.\d+\.\d+\.\d+\b/g))
      assert.match(
        address,
        /^(10\.|127\.0\.0\.1$|172\.16\.0\.0$|0\.0\.0\.0$)/,
        `${file}: ${address}`,
      );
  }
});

test.run();
