/** A list's page and filters in the address, so that Back, a reload and a bookmark restore them. */
import { useEffect } from 'react';
import { navigate, useSearch } from 'wouter/use-browser-location';
import { sessionClaims } from '../../state/session';
import { MAX_SEARCH_LENGTH } from '../../ui/lists/Search';

/** Reads each part of an address, which anybody can write. Empty is the default, and invalid. */
type Rules<Name extends string> = Readonly<Record<Name, (text: string) => string>>;
type Parts<Name extends string> = Record<Name, string>;

export interface ListAddress<Name extends string> {
  parts: Parts<Name>;
  /** Replaces the address; `push` adds a step for Back. */
  change(changed: Partial<Parts<Name>>, push?: boolean): void;
}

/** All lists accept a page from 2 to 999,999, and a search. */
export const LIST_RULES = {
  page: (text: string) => (/^([2-9]|[1-9]\d{1,5})$/.test(text) ? text : ''),
  query: (text: string) => text.slice(0, MAX_SEARCH_LENGTH).trim(),
};
export const oneOf =
  (...options: string[]) =>
  (text: string) =>
    options.includes(text) ? text : '';

/** The address's parts, and how to change them. Removes anything else from it. */
export function useListAddress<Name extends string>(rules: Rules<Name>): ListAddress<Name> {
  const search = useSearch();
  const parts = readParts(rules);
  useEffect(() => {
    if (formatListAddress(rules, parts) !== search || (search && readNote().session !== session()))
      change({});
  }, [search]);
  function change(changes: Partial<Parts<Name>>, push = false) {
    // The address is newer than `parts`: a search waits for a pause in typing, and the page may
    // have
    // changed.
    navigate(location.pathname + formatListAddress(rules, { ...readParts(rules), ...changes }), {
      replace: !push,
      state: createHistoryEntry(previousListQuery()),
    });
  }
  return { parts, change };
}

const readParts = <Name extends string>(rules: Rules<Name>) =>
  parseListAddress(rules, isForeign() ? '' : location.search);

export function parseListAddress<Name extends string>(
  rules: Rules<Name>,
  search: string,
): Parts<Name> {
  const query = new URLSearchParams(search);
  return Object.fromEntries(
    Object.keys(rules).map((name) => [name, rules[name as Name](query.get(name) ?? '')]),
  ) as Parts<Name>;
}

/** The query; empty if all parts have their defaults. */
export function formatListAddress<Name extends string>(
  rules: Rules<Name>,
  parts: Parts<Name>,
): string {
  const search = new URLSearchParams();
  for (const name of Object.keys(rules) as Name[])
    if (rules[name](parts[name])) search.set(name, rules[name](parts[name]));
  return search.size ? `?${search}` : '';
}

/** A history entry's session, and the query of the list that led to it. */
interface Note {
  session?: string;
  from?: string;
}
const readNote = (): Note => (history.state as Note | null) ?? {};
const session = (): string => `${sessionClaims.peek()?.id} ${sessionClaims.peek()?.exp}`;

/** The next person on this computer may press Back: hide what another searched for. */
const isForeign = (): boolean =>
  readNote().session !== undefined && readNote().session !== session();

/** A history entry's state. `from`: the query string of the list that leads there. */
export const createHistoryEntry = (from?: string): Note => ({
  session: session(),
  ...(from ? { from } : undefined),
});

/** Props of a link to another list on this page: it replaces the entry, and keeps the way back. */
export const listLink = (href: string) => ({
  href,
  replace: true,
  state: createHistoryEntry(previousListQuery()),
});

/** The query string of the list that led here, in this session; or empty. */
export const previousListQuery = (): string => {
  const { from } = readNote();
  return !isForeign() && typeof from === 'string' && from.startsWith('?') ? from : '';
};
