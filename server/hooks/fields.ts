/**
 * The bodies of Alertmanager (webhook, version 4) and Grafana (webhook contact point), as far as
 * they are looked at. What is left out, or of another type, counts as empty: one alert with a flaw
 * keeps neither itself nor others from ringing.
 */
import * as v from 'valibot';
import type { Alerts } from '../../src/shared/contract';
import type { BodyReader } from '../http/body';
import { demandJson, validate } from '../http/body';
import { parseJson } from '../http/json';

/** Five hundred alerts are some 500 KiB. */
const MAX_BYTES = 1024 * 1024;
/** Alerts of one body; what is beyond rings when it comes again: all that goes on is repeated. */
const MAX_ALERTS = 1000;
/** A body has alerts, with labels, with values: what is nested deeper is no body of theirs. */
const LIMITS = { depth: 8, values: 100_000 };

const text = v.fallback(v.string(), '');
const optionalText = v.fallback(v.optional(v.string(), ''), '');
const texts = v.record(v.string(), text);

const alert = v.object({
  status: v.fallback(v.picklist(['firing', 'resolved']), 'firing'),
  labels: v.fallback(texts, {}),
  annotations: v.fallback(v.optional(texts, {}), {}),
  startsAt: text,
  endsAt: optionalText,
  fingerprint: text,
  generatorURL: optionalText,
  dashboardURL: optionalText,
  panelURL: optionalText,
});
const alerts = v.object({ alerts: v.array(alert) });

/** Unlike other bodies these are nested, and larger, and what is too much of them is cut. */
export const alertsReader: BodyReader<Alerts> = {
  maxBytes: MAX_BYTES,
  limits: LIMITS,
  schema: alerts,
  read(bytes, contentType) {
    demandJson(contentType);
    const { alerts: all }: { alerts?: unknown } = parseJson(bytes, LIMITS);
    const first: unknown = Array.isArray(all) ? all.slice(0, MAX_ALERTS) : all;
    const taken = validate(alerts, { ...(first !== undefined && { alerts: first }) });
    const truncatedAlerts = Array.isArray(all) ? all.length - taken.alerts.length : 0;
    return { ...taken, truncatedAlerts };
  },
};
