import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseBrowserName } from '../../../server/devices/browser';

const test = suite('browser of a user agent');

const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)';
const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';

const agents: Record<string, string[]> = {
  Chrome: [
    `${ANDROID} Chrome/138.0.0.0 Mobile Safari/537.36`,
    `${IPHONE} CriOS/138.0.7204.119 Mobile/15E148 Safari/604.1`,
    `${WINDOWS} Chrome/138.0.0.0 Safari/537.36`,
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/138.0.0.0 Safari/537.36',
  ],
  'Samsung Internet': [
    `${ANDROID} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Safari/537.36',
  ],
  Firefox: [
    'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0',
    `${IPHONE} FxiOS/140.0 Mobile/15E148 Safari/605.1.15`,
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  ],
  Edge: [
    `${ANDROID} Chrome/138.0.0.0 Mobile Safari/537.36 EdgA/138.0.0.0`,
    `${IPHONE} Version/18.0 EdgiOS/138.0.3351.65 Mobile/15E148 Safari/604.1`,
    `${WINDOWS} Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0`,
    `${WINDOWS} Chrome/64.0.3282.140 Safari/537.36 Edge/18.17763`,
  ],
  Safari: [
    `${IPHONE} Version/18.5 Mobile/15E148 Safari/604.1`,
    `${IPHONE} Mobile/15E148`,
    `${MAC} Version/18.5 Safari/605.1.15`,
  ],
  Opera: [
    `${ANDROID} Chrome/135.0.0.0 Mobile Safari/537.36 OPR/90.0.0.0`,
    `${IPHONE} Version/18.5 Mobile/15E148 Safari/604.1 OPT/5.4.0`,
    `${WINDOWS} Chrome/137.0.0.0 Safari/537.36 OPR/121.0.0.0`,
  ],
  '': [
    '',
    'curl/8.5.0',
    'Mozilla/5.0',
    'Chrome',
    'NotChrome/1',
    // The old browser of Android has no push.
    'Mozilla/5.0 (Linux; U; Android 4.0.3) AppleWebKit/534.30 (KHTML, like Gecko) Android Safari/534.30',
  ],
};
for (const [name, userAgents] of Object.entries(agents))
  test(
    name === ''
      ? 'names no browser for anything else'
      : `recognizes ${name} on each of its systems`,
    () => {
      for (const agent of userAgents) assert.is(parseBrowserName(agent), name, agent);
    },
  );

test('returns a known name or none for a malicious user agent', () => {
  for (const agent of [
    'x'.repeat(5000),
    'Version/'.repeat(700),
    `Version/${'1.'.repeat(2500)}`,
    `${'('.repeat(5000)}iPhone`,
    '<script>alert(1)</script>',
    'Chrome/<img src=x onerror=alert(1)>',
    '\0\uD800',
  ])
    assert.ok(parseBrowserName(agent) in agents, agent.slice(0, 30));
  assert.is(
    parseBrowserName(`${'x'.repeat(5000)} Chrome/1`),
    '',
    'what lies so far behind is not read',
  );
});

test.run();
