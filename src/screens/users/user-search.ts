// Finds users by filters that the server does not know (S2.67): reads its pages until the wanted
// one is full.
import { readUsers } from '../../state/users/users';
import type { PageOf, PageRequest } from '../../state/read-all-pages';
import type { User } from '../../shared/contract';
import { countedNoun } from '../../ui/lists/Pager';

/** The server's limit. */
const SEARCH_PAGE_SIZE = 100;
/** How many pages to read in parallel, once their number is known. */
const MAX_PARALLEL_PAGES = 4;
/** The search reads only the newest people. */
export const MAX_SEARCHED_USERS = 10_000;

/** `total` counts the people found so far, until the search is complete. */
export interface UserSearchResult extends PageOf<User> {
  searched: number;
  /** How many users there are to search. */
  userCount: number;
}

/**
 * Keeps matches for the next page; page 1 starts over.
 * @param team a team's id, or empty
 */
export function searchUsers(matches: (user: User) => boolean, team = '') {
  let foundUsers = new Map<number, User>();
  let [searchedCount, totalCount, next] = [0, 1, 1];
  let stopped = false;
  let lastSearch: Promise<unknown> = Promise.resolve();

  function forget(): void {
    foundUsers = new Map();
    [searchedCount, totalCount, next] = [0, 1, 1];
  }

  async function search({ page, limit, query }: PageRequest): Promise<UserSearchResult> {
    if (page === 1) forget();
    // One user more than the page needs shows whether there is another page.
    while (
      !stopped &&
      foundUsers.size <= page * limit &&
      searchedCount < Math.min(totalCount, MAX_SEARCHED_USERS)
    ) {
      const remainingPages = Math.ceil(
        (Math.min(totalCount, MAX_SEARCHED_USERS) - searchedCount) / SEARCH_PAGE_SIZE,
      );
      const pages = Array.from(
        { length: Math.min(MAX_PARALLEL_PAGES, remainingPages) },
        (_, at) => next + at,
      );
      const responses = await Promise.all(
        pages.map((pageNumber) =>
          readUsers({ page: pageNumber, limit: SEARCH_PAGE_SIZE, query }, team),
        ),
      );
      next += pages.length;
      searchedCount = (next - 1) * SEARCH_PAGE_SIZE;
      for (const { rows, total } of responses) {
        totalCount = total;
        // If a user was added meanwhile, a row repeats.
        for (const user of rows) if (matches(user)) foundUsers.set(user.id, user);
      }
    }
    const rows = [...foundUsers.values()].slice((page - 1) * limit, page * limit);
    return {
      rows,
      total: foundUsers.size,
      page,
      limit,
      searched: Math.min(searchedCount, totalCount),
      userCount: totalCount,
    };
  }

  return {
    /** Runs one search at a time: each continues where the last search ended. */
    read(wanted: PageRequest): Promise<UserSearchResult> {
      const searchResult = lastSearch.then(() => search(wanted));
      lastSearch = searchResult.catch(() => {});
      return searchResult;
    },
    /** Starts over after a change. */
    forget,
    stop(): void {
      stopped = true;
    },
  };
}

export function describeSearchResult(result: UserSearchResult): string {
  const { rows, page, limit, total, searched, userCount } = result;
  const firstRow = (page - 1) * limit + 1;
  const numbers = `${firstRow.toLocaleString()}–${(firstRow + rows.length - 1).toLocaleString()}`;
  if (searched < Math.min(userCount, MAX_SEARCHED_USERS))
    return `${numbers} of the results so far · ${searched.toLocaleString()} of ${countedNoun(userCount, 'user')} searched`;
  return [`${numbers} of ${countedNoun(total, 'result')}.`, searchedText(result)].join(' ');
}

export const describeEmptySearch = (searchResult: UserSearchResult): string =>
  ['No results.', searchedText(searchResult)].join(' ');

const searchedText = ({ userCount }: UserSearchResult): string =>
  userCount > MAX_SEARCHED_USERS
    ? `We searched the newest ${MAX_SEARCHED_USERS.toLocaleString()} of ${countedNoun(userCount, 'user')}. Search for a name to see others.`
    : `We searched all ${countedNoun(userCount, 'user')}.`;
