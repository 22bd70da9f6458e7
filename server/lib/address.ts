/**
 * An address of the web in the one form in which it is kept and compared, however it was written
 * (WHATWG URL, serializing), without what follows `#`. What is none stays as it is.
 */
export function toHref(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.hash = '';
  return url.href;
}
