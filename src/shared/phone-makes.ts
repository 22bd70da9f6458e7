/** The make of a phone, or a computer's browser, for choosing advice. */
import type { DeviceType } from './contract';

export type Make =
  | 'Samsung'
  | 'Xiaomi'
  | 'Huawei'
  | 'OnePlus'
  | 'Oppo'
  | 'Vivo'
  | 'Asus'
  | 'Nokia'
  | 'Sony'
  | 'Android'
  | 'iPhone'
  | 'Chrome'
  | 'Firefox';

/** `model` as the browser names it, such as `SM-A047F`. */
export interface ReportedDevice {
  model: string;
  browser: string;
  deviceType: DeviceType;
}

/** Patterns of model names. */
const MODEL_PATTERNS: [Make, RegExp][] = [
  ['Samsung', /^(samsung|galaxy|S[MC]-|GT-|SHV-|SCG|SCV)/i],
  ['Xiaomi', /^(xiaomi|redmi|poco|mi[ -]|M\d{4}|2\d{3,}[0-9A-Z]{3})/i],
  ['OnePlus', /^(oneplus|(AC|BE|DN|EB|GM|HD|IN|KB|LE|NE)\d{4})/i],
  ['Oppo', /^(oppo|CPH\d|P[A-H][A-Z]{1,2}\d)/i],
  ['Vivo', /^(vivo|iqoo|V\d{4}|I\d{4})/i],
  ['Asus', /^(asus|Z[A-Z]\d{3}|AI\d{4})/i],
  ['Nokia', /^(nokia|hmd|TA-\d{4})/i],
  ['Sony', /^(sony|xperia|XQ-|SO-\d|SO[GV]\d|[F-J]\d{4})/i],
  ['Huawei', /^(huawei|honor|[A-Z]{3}-[A-Z]{0,2}\d)/i],
];

export function guessMake({ model, browser, deviceType }: ReportedDevice): Make {
  if (deviceType === 'ios') return 'iPhone';
  if (deviceType === 'web') return /firefox/i.test(browser) ? 'Firefox' : 'Chrome';
  const [make] = MODEL_PATTERNS.find(([, pattern]) => pattern.test(model.trim())) ?? [];
  return make ?? (/samsung/i.test(browser) ? 'Samsung' : 'Android');
}

export const UNKNOWN_PHONE = 'Phone';
export const DESKTOP_COMPUTER = 'Desktop';

/** Names a device in lists: `Samsung`, `iPhone`, `Desktop`, or `Phone`. */
export function phoneMakeText(device: ReportedDevice): string {
  const make = guessMake(device);
  if (make === 'Android') return UNKNOWN_PHONE;
  return make === 'Chrome' || make === 'Firefox' ? DESKTOP_COMPUTER : make;
}

/** The first match counts: most also claim to be Chrome and Safari. */
const BROWSER_PATTERNS = [
  ['Samsung Internet', /SamsungBrowser/],
  ['Edge', /Edg(A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox|FxiOS/],
  ['Chrome', /Chrome|CriOS/],
] as const;

export const browserName = (userAgent: string): string =>
  BROWSER_PATTERNS.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'Safari';
