/**
 * What of a list is in the address, as its query string: Back, a reload and a bookmark show the
 * same list again.
 */
import { useEffect } from 'react';
import { navigate, useSearch } from 'wouter/use-browser-location';
import { claims } from '../../state/session';
import { MAX_SEARCH_LENGTH } from '../../ui/lists/Search';

/**
 * How each part is read, since anybody can write an address: its text where that can be meant, else
 * empty. Empty stands for the default, and leaves no trace.
 */
type Rules<Name extends string> = Readonly<Record<Name, (text: string) => string>>;
type Parts<Name extends string> = Record<Name, string>;

export interface Address<Name extends string> {
  parts: Parts<Name>;
  /**
   * Changes parts of the address in place of the present one; `push` makes it a step that Back
   * returns from.
   */
  change(changed: Partial<Parts<Name>>, push?: boolean): void;
}

/** The rules of every list: a page from 2 to 999,999, and a text to look for. */
export const LIST_RULES = {
  page: (text: string) => (/^([2-9]|[1-9]\d{1,5})$/.test(text) ? text : ''),
  query: (text: string) => text.slice(0, MAX_SEARCH_LENGTH).trim(),
};
export const oneOf =
  (...options: string[]) =>
  (text: string) =>
    options.includes(text) ? text : '';

/**
 * The parts of the present address, and the way to change them. What it holds beside them, or in
 * other words, is taken out of it.
 */
export function useAddress<Name extends string>(rules: Rules<Name>): Address<Name> {
  const search = useSearch();
  const parts = present(rules);
  useEffect(() => {
    if (writeAddress(rules, parts) !== search || (search && kept().session !== session()))
      change({});
  }, [search]);
  function change(changed: Partial<Parts<Name>>, push = false) {
    // From the address, not from `parts`: a search waits for a pause in typing, and the page may be
    // another one by then.
    navigate(location.pathname + writeAddress(rules, { ...present(rules), ...changed }), {
      replace: !push,
      state: noteEntry(cameFrom()),
    });
  }
  return { parts, change };
}

const present = <Name extends string>(rules: Rules<Name>) =>
  partsOfAddress(rules, isForeign() ? '' : location.search);

/** The parts of a query string, as the rules read them. */
export function partsOfAddress<Name extends string>(
  rules: Rules<Name>,
  search: string,
): Parts<Name> {
  const given = new URLSearchParams(search);
  return Object.fromEntries(
    Object.keys(rules).map((name) => [name, rules[name as Name](given.get(name) ?? '')]),
  ) as Parts<Name>;
}

/** The query string of these parts, empty where all is as usual. */
export function writeAddress<Name extends string>(rules: Rules<Name>, parts: Parts<Name>): string {
  const search = new URLSearchParams();
  for (const name of Object.keys(rules) as Name[])
    if (rules[name](parts[name])) search.set(name, rules[name](parts[name]));
  return search.size ? `?${search}` : '';
}

/** Whose an entry of the history is, and where the list stood from which it was opened. */
interface Note {
  session?: string;
  from?: string;
}
const kept = (): Note => (history.state as Note | null) ?? {};
const session = (): string => `${claims.peek()?.id} ${claims.peek()?.exp}`;

/**
 * The person who signs in next on this computer may press Back: what the one before looked for is
 * not theirs to see.
 */
const isForeign = (): boolean => kept().session !== undefined && kept().session !== session();

/**
 * What an entry of the history keeps beside its address. `from`: the query string of the list that
 * leads there.
 */
export const noteEntry = (from?: string): Note => ({
  session: session(),
  ...(from ? { from } : undefined),
});

/**
 * The query string of the list from which this page was opened, in this session; empty where that
 * is not known.
 */
export const cameFrom = (): string => {
  const { from } = kept();
  return !isForeign() && typeof from === 'string' && from.startsWith('?') ? from : '';
};
