/** The time zone of this device. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** Time zones by region: `Europe` with `Europe/Oslo`. UTC comes last, because browsers omit UTC. */
export function otherZones(phoneZone: string): [region: string, names: string[]][] {
  const regions = new Map<string, string[]>();
  for (const name of new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])) {
    if (name === phoneZone) continue;
    const region = name.includes('/') ? name.slice(0, name.indexOf('/')) : '';
    const names = regions.get(region);
    if (names) names.push(name);
    else regions.set(region, [name]);
  }
  const withoutRegion = regions.get('') ?? [];
  regions.delete('');
  return withoutRegion.length > 0 ? [...regions, ['Other', withoutRegion]] : [...regions];
}
