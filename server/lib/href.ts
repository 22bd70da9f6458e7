/** The normalized address (WHATWG URL) without its fragment; other texts are unchanged. */
export function toHref(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.hash = '';
  return url.href;
}
