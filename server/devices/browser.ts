/** The most specific names come first: browsers also name the browsers that they derive from. */
const BROWSERS: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Opera', /\b(?:OPR|OPT|OPX|OPiOS|Opera)\b/],
  ['Edge', /\b(?:Edg|EdgA|EdgiOS|Edge)\//],
  ['Firefox', /\b(?:Firefox|FxiOS|Focus)\//],
  ['Chrome', /\b(?:Chrome|HeadlessChrome|Chromium|CriOS)\//],
  // An iPhone's home screen app has no version.
  ['Safari', /\bVersion\/[\d.]+ (?:Mobile\/\w+ )?Safari\/|\((?:iPhone|iPad|iPod)\b/],
];
/** The client chooses the user agent: longer ones are cut. */
const MAX_USER_AGENT_LENGTH = 512;

export function parseBrowserName(userAgent: string): string {
  const text = userAgent.slice(0, MAX_USER_AGENT_LENGTH);
  return BROWSERS.find(([, sign]) => sign.test(text))?.[0] ?? '';
}
