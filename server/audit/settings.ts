import { createHmac } from 'node:crypto';
import { BlockList } from 'node:net';
import { defaultsFromUrl } from '../config/config';
import type { Config } from '../config/config';
import { acquireLock } from '../db/lock';
import type { Database } from '../db/open';
import { readSetting, writeSetting } from '../db/settings';
import { inTransaction } from '../db/transaction';
import { actAs, recordAudit } from './record-audit';

const FINGERPRINTS_SETTING = 'settings-fingerprints';
/** Each process may have its own, or they matter only at the very first start. */
const UNCOMPARED_SETTINGS = [
  'port',
  'host',
  'dataDir',
  'publicUrlGuessed',
  'adminUsername',
  'adminPassword',
];

type Fingerprints = Record<string, string>;

/** If there are several servers, each compares itself with the one that started before it. */
export async function recordSettingChanges(
  config: Config,
  db: Database,
  now: number,
): Promise<void> {
  const currentFingerprints = hashSettings(config);
  await inTransaction(db, async (transaction) => {
    await acquireLock(FINGERPRINTS_SETTING, transaction);
    const storedValue = await readSetting(FINGERPRINTS_SETTING, transaction);
    const value = JSON.stringify(currentFingerprints);
    if (storedValue === value) return;
    await writeSetting(FINGERPRINTS_SETTING, value, transaction);
    const changedNames =
      storedValue === undefined
        ? []
        : changedSettings(JSON.parse(storedValue) as Fingerprints, currentFingerprints);
    if (changedNames.length === 0) return;
    actAs({ by: { name: 'Fieldbell' }, at: now }, transaction);
    await recordAudit({ action: 'settings.change', on: changedNames.join(', ') }, transaction);
  });
}

function hashSettings(config: Config): Fingerprints {
  const derivedValues = derivedBy(config);
  const entries = Object.entries(config).flatMap(([name, value]): [string, string][] => {
    if (UNCOMPARED_SETTINGS.includes(name)) return [];
    const newValue = value === derivedValues[name] ? undefined : value;
    const text = JSON.stringify(newValue instanceof BlockList ? newValue.rules : newValue) ?? '';
    return [[environmentName(name), hashSetting(text, config.jwtSecret)]];
  });
  return Object.fromEntries(entries.sort());
}

/** Values that follow from the address, or are a guess: they change without being set. */
const derivedBy = ({ publicUrl, publicUrlGuessed }: Config): Partial<Record<string, string>> => ({
  ...defaultsFromUrl(publicUrl),
  ...(publicUrlGuessed && { publicUrl }),
});

const hashSetting = (text: string, secret: string): string =>
  createHmac('sha256', secret).update(`setting\0${text}`).digest('base64url').slice(0, 16);

const environmentName = (name: string): string =>
  name === 'serviceAccount'
    ? 'FIREBASE_SERVICE_ACCOUNT'
    : name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** Ignores variables of a later version. With another secret, nothing can be compared. */
function changedSettings(
  formerFingerprints: Fingerprints,
  currentFingerprints: Fingerprints,
): string[] {
  if (formerFingerprints.JWT_SECRET !== currentFingerprints.JWT_SECRET) return ['JWT_SECRET'];
  return Object.keys(currentFingerprints).filter(
    (name) =>
      formerFingerprints[name] !== undefined &&
      formerFingerprints[name] !== currentFingerprints[name],
  );
}
