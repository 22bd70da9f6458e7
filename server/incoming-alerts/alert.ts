/** Turns an alert of Alertmanager or Grafana into a message. */
import * as v from 'valibot';
import type { Alert, Priority } from '../../src/shared/contract';
import { removeUnclean, truncate } from '../../src/shared/contract/fields';
import { sha256 } from '../lib/sha256';
import { MAX_LENGTH, messageTextFields } from '../../src/shared/contract/message-fields';
import { parseIsoTime } from '../../src/shared/iso-time';

/** Identifies an alert within a topic, whichever Alertmanager sends it. */
export interface AlertId {
  fingerprint: string;
  /** A time from `readTime`, or empty if the alert has none. */
  startsAt: string;
}

export interface AlertMessage extends AlertId {
  isResolved: boolean;
  /** A time from `readTime`, or empty if the alert has none. */
  endsAt: string;
  /** If undefined, the topic's title is used. */
  title: string | undefined;
  message: string;
  link: string | undefined;
  priority: Priority;
}

const MISSING_DESCRIPTION = 'Alert without a description.';

const PRIORITIES: ReadonlyMap<string, Priority> = new Map([
  ['critical', 'urgent'],
  ['page', 'urgent'],
  ['warning', 'normal'],
  ['info', 'info'],
  ['none', 'info'],
]);

/** Truncates long texts and drops invalid links, because the alert must arrive anyway. */
export function readAlert(alert: Alert): AlertMessage {
  const labels = readCleanLabels(alert.labels);
  const annotations = readCleanLabels(alert.annotations ?? {});
  const summary = annotations.get('summary');
  const title = (summary ?? labels.get('alertname') ?? '').replace(/\s+/g, ' ');
  const severity = labels.get('severity')?.toLowerCase() ?? '';
  const message = annotations.get('description') ?? summary ?? listLabels(labels);
  return {
    fingerprint: readFingerprint(alert.fingerprint, labels),
    startsAt: readTime(alert.startsAt),
    isResolved: alert.status === 'resolved',
    endsAt: readTime(alert.endsAt),
    title: truncate(title, MAX_LENGTH.title) || undefined,
    message: truncate(message || title || MISSING_DESCRIPTION, MAX_LENGTH.text),
    // Grafana's panel shows more than its rule; Alertmanager has neither.
    link: [alert.panelURL, alert.dashboardURL, alert.generatorURL].map(readLink).find(Boolean),
    priority: PRIORITIES.get(severity) ?? 'normal',
  };
}

/** Non-empty texts, without characters that messages may not have. */
function readCleanLabels(labels: Record<string, string>): Map<string, string> {
  const texts = Object.entries(labels).map(
    ([name, text]) => [removeUnclean(name), removeUnclean(text).trim()] as const,
  );
  return new Map(texts.filter(([, text]) => text !== ''));
}

/** Writes lines such as `instance: pump-7`. The alert's name is in the title. */
const listLabels = (labels: ReadonlyMap<string, string>): string =>
  [...labels]
    .filter(([name]) => name !== 'alertname')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** Old Alertmanagers send no fingerprint. It then derives from the labels, like theirs. */
function readFingerprint(reportedFingerprint: string, labels: ReadonlyMap<string, string>): string {
  const fingerprint = reportedFingerprint.trim() || JSON.stringify([...labels].sort());
  return /^[\w.:-]{1,64}$/.test(fingerprint) ? fingerprint : sha256(fingerprint);
}

/** An https address that is valid in a message. */
function readLink(reportedLink = ''): string | undefined {
  const link = reportedLink.trim();
  return /^https:/i.test(link) && v.is(messageTextFields.link, link) ? link : undefined;
}

/** Go's zero time. */
const UNSET_TIME = '0001-01-01T00:00:00.000000000Z';

/**
 * RFC 3339 in UTC with nine digits of fraction, so that times compare as texts. Empty for an
 * invalid or unset time, which must not stop the alert.
 */
export function readTime(text = ''): string {
  const time = parseIsoTime(text.trim().toUpperCase().replace(' ', 'T'));
  const isoSecond = time && new Date(time.second).toISOString();
  // Reject years that do not have four digits.
  if (!time || !isoSecond || !/^\d{4}-/.test(isoSecond)) return '';
  const nanoseconds = time.fraction.padEnd(9, '0').slice(0, 9);
  const normalizedTime = `${isoSecond.slice(0, 19)}.${nanoseconds}Z`;
  return normalizedTime === UNSET_TIME ? '' : normalizedTime;
}
