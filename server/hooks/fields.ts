/**
 * The bodies of Alertmanager (webhook, version 4) and Grafana (webhook contact point), as far as
 * they are looked at. What is left out, or of another type, counts as empty: one alert with a flaw
 * keeps neither itself nor others from ringing.
 */
import * as v from 'valibot';
import type { Alerts } from '../../src/shared/contract';
import type { BodyReader } from '../http/body';
import { demandJson, parseJson, validate } from '../http/body';
import { HttpError } from '../http/errors';

/** Five hundred alerts are some 500 KiB. */
const MAX_BYTES = 1024 * 1024;
/** A body has alerts, with labels, with values: what is nested deeper is no body of theirs. */
const MAX_DEPTH = 8;

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

/** Unlike other bodies these are nested, and larger. */
export const alertsReader: BodyReader<Alerts> = {
  maxBytes: MAX_BYTES,
  schema: alerts,
  read(bytes, contentType) {
    demandJson(contentType);
    const body = parseJson(bytes);
    if (!isWithin(MAX_DEPTH, body)) throw new HttpError(400, 'The body is nested too deeply.');
    return validate(alerts, body);
  },
};

const isWithin = (depth: number, value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((inner) => isWithin(depth - 1, inner)));
