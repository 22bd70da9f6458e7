/** Reads the bodies of Alertmanager (webhook, version 4) and Grafana (webhook contact point). */
import { alerts } from '../../src/shared/contract/publishing';
import type { Alerts } from '../../src/shared/contract/publishing';
import type { BodyReader } from '../http/body';
import { demandJson, validate } from '../http/body';
import { parseJson } from '../http/json';

/** 500 alerts are some 500 KiB. */
const MAX_BYTES = 1024 * 1024;
/** Further alerts arrive with the next repetition of the body. */
const MAX_ALERTS = 1000;
/** Enough for alerts with labels and values. */
const LIMITS = { depth: 8, values: 100_000 };

/** These bodies are nested and large, and are cut rather than rejected. */
export const alertsReader: BodyReader<Alerts> = {
  maxBytes: MAX_BYTES,
  limits: LIMITS,
  read(bytes, contentType) {
    demandJson(contentType);
    const { alerts: all }: { alerts?: unknown } = parseJson(bytes, LIMITS);
    const first: unknown = Array.isArray(all) ? all.slice(0, MAX_ALERTS) : all;
    const taken = validate(alerts, { ...(first !== undefined && { alerts: first }) });
    const truncatedAlerts = Array.isArray(all) ? all.length - taken.alerts.length : 0;
    return { ...taken, truncatedAlerts };
  },
};
