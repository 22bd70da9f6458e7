import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as v from 'valibot';
import { readAlert } from '../../../server/incoming-alerts/alert';
import { alertsReader } from '../../../server/incoming-alerts/routes';
import { readTime } from '../../../server/incoming-alerts/alert';
import { messageTextFields } from '../../../src/shared/contract/message-fields';

const test = suite('alerts as messages');

const readAll = (body: string) =>
  alertsReader.read(Buffer.from(body), 'application/json').alerts.map(readAlert);
const read = (alert: unknown) => readAll(JSON.stringify({ alerts: [alert] }))[0]!;
const withLabels = (labels: object, annotations: object = {}) => read({ labels, annotations });

test("turns Grafana's documented body into a message per alert", () => {
  assert.equal(readAll(readFileSync('test/support/incoming-alerts/grafana.json', 'utf8')), [
    {
      fingerprint: 'c6eadffa33fcdf37',
      startsAt: '2021-10-12T07:51:03.157076000Z',
      isResolved: false,
      endsAt: '',
      title: 'This alert was triggered for zone us-1',
      message: 'The system has high memory usage',
      link: 'https://play.grafana.org/alerting/1afz29v7z/edit',
      priority: 'normal',
    },
    {
      fingerprint: 'bc97ff14869b13e3',
      startsAt: '2021-10-12T07:56:03.157076000Z',
      isResolved: false,
      endsAt: '',
      title: 'This alert was triggered for zone eu-1',
      message: 'The system has high CPU usage',
      link: 'https://play.grafana.org/alerting/d1rdpdv7k/edit',
      priority: 'normal',
    },
  ]);
});

test('takes title and text from annotations, or from name, summary or labels', () => {
  const labels = { alertname: 'PumpDown', site: 'north', instance: 'pump-7' };
  const words = (annotations: object) => {
    const { title, message } = withLabels(labels, annotations);
    return [title, message];
  };
  assert.equal(words({ summary: 'Pump 7 is down', description: 'Since 10:00' }), [
    'Pump 7 is down',
    'Since 10:00',
  ]);
  assert.equal(words({ description: 'Since 10:00' }), ['PumpDown', 'Since 10:00']);
  assert.equal(words({ summary: 'Pump 7 is down' }), ['Pump 7 is down', 'Pump 7 is down']);
  assert.equal(words({ summary: ' ', description: '' }), [
    'PumpDown',
    'instance: pump-7\nsite: north',
  ]);
  const { title, message } = withLabels({ alertname: 'Watchdog' });
  assert.equal([title, message], ['Watchdog', 'Watchdog']);
  assert.equal([read({}).title, read({}).message], [undefined, 'Alert without a description.']);
});

test('maps severity to priority, and an unknown one to normal', () => {
  const priorityOf = (severity?: unknown) => withLabels({ severity }).priority;
  assert.equal(
    ['critical', 'page', 'Critical', 'warning', 'info', 'none', 'error', '', undefined].map(
      priorityOf,
    ),
    ['urgent', 'urgent', 'urgent', 'normal', 'info', 'info', 'normal', 'normal', 'normal'],
  );
});

test("links only to https: Grafana's panel, its dashboard, or the source", () => {
  const link = (urls: object) => read(urls).link;
  const generatorURL = 'https://prometheus.example/graph?g0.expr=up+%3D%3D+0&g0.tab=1';
  assert.is(link({ generatorURL }), generatorURL);
  assert.is(link({ generatorURL: 'http://prometheus:9090/graph' }), undefined);
  assert.is(link({ generatorURL: 'javascript:alert(1)' }), undefined);
  assert.is(link({ generatorURL: '/subscriptions' }), undefined);
  assert.is(link({ generatorURL: `https://a.example/${'x'.repeat(2000)}` }), undefined);
  assert.is(link({ generatorURL: 'https://a.example/two words' }), undefined);
  const [dashboardURL, panelURL] = ['https://g.example/d/1', 'https://g.example/d/1?viewPanel=2'];
  assert.is(link({ generatorURL, dashboardURL, panelURL }), panelURL);
  assert.is(link({ generatorURL, dashboardURL, panelURL: 'http://g.example/' }), dashboardURL);
});

test('cuts long texts by whole characters, with an ellipsis', () => {
  const { title, message } = withLabels(
    {},
    { summary: '🔥'.repeat(101), description: 'é'.repeat(1001) },
  );
  assert.is(title, `${'🔥'.repeat(99)}…`);
  assert.is(message, `${'é'.repeat(999)}…`);
  const whole = withLabels({}, { summary: '🔥'.repeat(100), description: '🔥'.repeat(1000) });
  assert.equal([[...whole.title!].length, [...whole.message].length], [100, 1000]);
});

test('makes a valid message of any alert', () => {
  const uglyValues = [
    '\u0000',
    '\ud800',
    'a\u0007b',
    '\u2028',
    '\r\n',
    '<b>',
    7,
    true,
    null,
    {},
    [],
    'x'.repeat(5000),
  ];
  for (const uglyValue of uglyValues)
    for (const alert of [
      { labels: { alertname: uglyValue, [String(uglyValue)]: uglyValue } },
      { labels: { alertname: 'A' }, annotations: { summary: uglyValue, description: uglyValue } },
      {
        labels: uglyValue,
        annotations: uglyValue,
        startsAt: uglyValue,
        endsAt: uglyValue,
        status: uglyValue,
      },
      {
        generatorURL: uglyValue,
        dashboardURL: uglyValue,
        panelURL: uglyValue,
        fingerprint: uglyValue,
      },
    ]) {
      const { title, message, link, fingerprint } = read(alert);
      const alertText = JSON.stringify(alert).slice(0, 80);
      assert.ok(
        v.is(v.object(messageTextFields), {
          message,
          ...(title && { title }),
          ...(link && { link }),
        }),
        alertText,
      );
      assert.match(fingerprint, /^[\w.:-]{1,64}$/);
    }
  const [named] = readAll(
    '{"alerts":[{"labels":{"__proto__":"x","constructor":"y","alertname":"A"}}]}',
  );
  assert.is(named?.title, 'A');
});

test('identifies an alert without a fingerprint by its labels in any order', () => {
  const { fingerprint } = withLabels({ alertname: 'A', site: 'north' });
  assert.is(withLabels({ site: 'north', alertname: 'A' }).fingerprint, fingerprint);
  assert.is.not(withLabels({ alertname: 'A', site: 'south' }).fingerprint, fingerprint);
  assert.is.not(withLabels({}).fingerprint, fingerprint);
  assert.is(read({ fingerprint: 'c6eadffa33fcdf37' }).fingerprint, 'c6eadffa33fcdf37');
});

test('normalizes equal times of any zone and precision to equal texts', () => {
  for (const written of [
    '2026-11-20T14:02:00Z',
    '2026-11-20T14:02:00.000Z',
    '2026-11-20T15:02:00+01:00',
    '2026-11-20T09:32:00.0-04:30',
    '2026-11-21T04:02:00+14:00',
    '2026-11-20t14:02:00.000000000000z',
    ' 2026-11-20 14:02:00Z ',
  ])
    assert.is(readTime(written), '2026-11-20T14:02:00.000000000Z', written);
  assert.is(readTime('2018-08-03T09:52:26.739266876+02:00'), '2018-08-03T07:52:26.739266876Z');
  assert.ok(readTime('2026-11-20T14:02:00.1Z') > readTime('2026-11-20T14:02:00.099999999Z'));
});

test('reads an invalid or unset time as none', () => {
  for (const written of [
    undefined,
    '',
    '0001-01-01T00:00:00Z',
    '0001-01-01T01:00:00+01:00',
    'yesterday',
    '2026-11-20',
    '2026-11-20T14:02:00',
    '2026-13-20T14:02:00Z',
    '2027-02-31T14:02:00Z',
    '2026-11-20T14:02:61Z',
    '0000-01-01T00:00:00+02:00',
    '+275760-09-13T00:00:00Z',
    '1700000000',
  ])
    assert.is(readTime(written), '', String(written));
});

test.run();
