/** A `_headers` file (Cloudflare Pages, Netlify), so that this server and a CDN respond alike. */
interface Rule {
  path: RegExp;
  set: [name: string, value: string][];
}

export type HeaderRules = (path: string) => Headers;

export function parseHeaderRules(text: string): HeaderRules {
  const rules: Rule[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    if (/^\S/.test(line)) rules.push({ path: compilePath(line.trim()), set: [] });
    else readHeader(line.trim(), rules.at(-1));
  }
  return (path) => applyRules(rules.filter((rule) => rule.path.test(path)));
}

function compilePath(path: string): RegExp {
  const parts = path.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

function readHeader(line: string, rule: Rule | undefined): void {
  if (rule === undefined) return;
  const colon = line.indexOf(':');
  if (colon > 0) rule.set.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
}

function applyRules(rules: Rule[]): Headers {
  const headers = new Headers();
  for (const rule of rules) {
    for (const [name, value] of rule.set) headers.append(name, value);
  }
  return headers;
}
