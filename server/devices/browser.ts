/**
 * The browser that a user agent names, as people know it. Those that are made of another name that
 * one, too: the first that fits is meant.
 */
const BROWSERS: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Opera', /\b(?:OPR|OPT|OPX|OPiOS|Opera)\b/],
  ['Edge', /\b(?:Edg|EdgA|EdgiOS|Edge)\//],
  ['Firefox', /\b(?:Firefox|FxiOS|Focus)\//],
  ['Chrome', /\b(?:Chrome|HeadlessChrome|Chromium|CriOS)\//],
  // An app on the home screen of an iPhone names no version.
  ['Safari', /\bVersion\/[\d.]+ (?:Mobile\/\w+ )?Safari\/|\((?:iPhone|iPad|iPod)\b/],
];
/** A user agent is the client's word: what is longer than any browser's is not looked through. */
const MOST = 512;

/** @returns empty if it cannot be told */
export function browserOf(userAgent: string): string {
  const text = userAgent.slice(0, MOST);
  return BROWSERS.find(([, sign]) => sign.test(text))?.[0] ?? '';
}
