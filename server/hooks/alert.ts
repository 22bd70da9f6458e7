/** An alert of Alertmanager or Grafana, as a message of ours. */
import * as v from 'valibot';
import type { Alert, Priority } from '../../src/shared/contract';
import { cleaned, cut } from '../../src/shared/contract/fields';
import { sha256 } from '../lib/sha256';
import { MAX_LENGTH, messageText } from '../../src/shared/contract/message-fields';
import { parseIsoTime } from '../../src/shared/iso-time';

/** What an alert is known by within a topic, whichever Alertmanager sends it. */
export interface AlertId {
  fingerprint: string;
  /** As `readTime` writes it; empty where nobody says. */
  startsAt: string;
}

export interface AlertMessage extends AlertId {
  isResolved: boolean;
  /** Until when it lasted; empty where nobody says. */
  endsAt: string;
  /** Undefined where the topic's has to do. */
  title: string | undefined;
  message: string;
  link: string | undefined;
  priority: Priority;
}

const NO_TEXT = 'An alert without a text.';

const PRIORITIES: ReadonlyMap<string, Priority> = new Map([
  ['critical', 'urgent'],
  ['page', 'urgent'],
  ['warning', 'normal'],
  ['info', 'info'],
  ['none', 'info'],
]);

/** Whatever is too long is cut, and what cannot be a link is left out: it rings all the same. */
export function readAlert(given: Alert): AlertMessage {
  const labels = readTexts(given.labels);
  const annotations = readTexts(given.annotations ?? {});
  const summary = annotations.get('summary');
  const title = (summary ?? labels.get('alertname') ?? '').replace(/\s+/g, ' ');
  const severity = labels.get('severity')?.toLowerCase() ?? '';
  const message = annotations.get('description') ?? summary ?? listLabels(labels);
  return {
    fingerprint: readFingerprint(given.fingerprint, labels),
    startsAt: readTime(given.startsAt),
    isResolved: given.status === 'resolved',
    endsAt: readTime(given.endsAt),
    title: cut(title, MAX_LENGTH.title) || undefined,
    message: cut(message || title || NO_TEXT, MAX_LENGTH.text),
    // Grafana's panel shows more than its rule; Alertmanager has neither.
    link: [given.panelURL, given.dashboardURL, given.generatorURL].map(readLink).find(Boolean),
    priority: PRIORITIES.get(severity) ?? 'normal',
  };
}

/** Those with a text in them, without what no message may hold. */
function readTexts(given: Record<string, string>): Map<string, string> {
  const texts = Object.entries(given).map(
    ([name, text]) => [cleaned(name), cleaned(text).trim()] as const,
  );
  return new Map(texts.filter(([, text]) => text !== ''));
}

/** Such as `instance: pump-7`, a line for each; the name is in the title. */
const listLabels = (labels: ReadonlyMap<string, string>): string =>
  [...labels]
    .filter(([name]) => name !== 'alertname')
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** Earlier Alertmanagers send none: then it is made of what theirs is made of, the labels. */
function readFingerprint(given: string, labels: ReadonlyMap<string, string>): string {
  const fingerprint = given.trim() || JSON.stringify([...labels].sort());
  return /^[\w.:-]{1,64}$/.test(fingerprint) ? fingerprint : sha256(fingerprint);
}

/** An https address that a message may have. */
function readLink(given = ''): string | undefined {
  const link = given.trim();
  return /^https:/i.test(link) && v.is(messageText.link, link) ? link : undefined;
}

/** Go writes a time that was never set as the beginning of the year 1. */
const NEVER = '0001-01-01T00:00:00.000000000Z';

/**
 * A time of RFC 3339 in UTC with nine digits of a second's fraction, as Go has them, so that equal
 * times are equal texts and later ones come later; empty for what is none, or was never set. An
 * alert with such a time still alerts.
 */
export function readTime(given = ''): string {
  const time = parseIsoTime(given.trim().toUpperCase().replace(' ', 'T'));
  const second = time && new Date(time.second).toISOString();
  // A year of another length is none that anybody means.
  if (!time || !second || !/^\d{4}-/.test(second)) return '';
  const nanoseconds = time.fraction.padEnd(9, '0').slice(0, 9);
  const written = `${second.slice(0, 19)}.${nanoseconds}Z`;
  return written === NEVER ? '' : written;
}
