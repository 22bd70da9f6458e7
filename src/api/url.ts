/** The URL of a path. A host that already ends in `/api` gets it only once (S7.1). */
export function apiUrl(
  path: string,
  params: Record<string, string | number> = {},
  query: object = {},
  host = API_HOST,
): string {
  const filledPath = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') search.set(name, String(value));
  return (
    host.replace(/\/$/, '') +
    (host.includes('/api') ? filledPath.replace(/^\/api/, '') : filledPath) +
    (search.size ? `?${search}` : '')
  );
}
