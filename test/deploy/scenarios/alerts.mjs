import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

/** Prometheus itself takes the alert rules. That their metrics exist is a unit test. */
export async function alerts() {
  const rules = 'server/deploy/prometheus-alerts.yml';
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rules], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const [, found] = /(\d+) rules found/.exec(stdout) ?? [];
  assert.ok(Number(found) > 5);
  return `promtool takes all ${found} rules`;
}
