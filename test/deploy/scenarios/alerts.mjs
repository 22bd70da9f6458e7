import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

/** Prometheus accepts the alert rules, and they fire. */
export async function testAlerts() {
  const rules = 'server/deploy/prometheus-alerts.yml';
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rules], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const testRun = spawnSync('promtool', ['test', 'rules', 'test/deploy/alert-cases.yml'], {
    encoding: 'utf8',
  });
  assert.equal(testRun.status, 0, testRun.stdout + testRun.stderr);
  const [, ruleCount] = /(\d+) rules found/.exec(stdout) ?? [];
  assert.ok(Number(ruleCount) > 5);
  return `promtool accepts all ${ruleCount} rules, and they fire when they should`;
}
