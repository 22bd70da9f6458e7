/** HTML templates that escape every text. */

export class Html {
  constructor(readonly source: string) {}
}

type HtmlPart = Html | string | number | undefined | readonly HtmlPart[];

const SPECIAL: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const toSource = (part: HtmlPart): string => {
  if (part === undefined) return '';
  if (part instanceof Html) return part.source;
  if (typeof part === 'object') return part.map(toSource).join('');
  return String(part).replace(/[&<>"]/g, (character) => SPECIAL[character] ?? '');
};

/** A template: `html`<b>${name}</b>``. */
export const html = (texts: TemplateStringsArray, ...parts: HtmlPart[]): Html =>
  new Html(texts.reduce((whole, text, index) => whole + toSource(parts[index - 1]) + text));

export const joinHtml = (parts: readonly HtmlPart[], between: string): Html =>
  new Html(parts.map(toSource).join(toSource(between)));

/** A text whose `words` between backquotes are code. */
export const formatProse = (text: string): Html =>
  joinHtml(
    text.split(/`([^`]*)`/).map((part, index) => (index % 2 ? html`<code>${part}</code>` : part)),
    '',
  );
