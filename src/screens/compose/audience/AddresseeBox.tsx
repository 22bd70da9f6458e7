import { useId, useRef, useState, type KeyboardEvent } from 'react';
import type { Addressee } from '../../../state/messages/composing';
import { readTeams } from '../../../state/teams/teams';
import type { PageRequest } from '../../../state/read-all-pages';
import { readTopics } from '../../../state/topics/topics';
import { readUsers } from '../../../state/users/users';
import { Icon, type IconName } from '../../../ui/Icon';
import { countedNoun } from '../../../ui/lists/Pager';
import { MAX_SEARCH_LENGTH } from '../../../ui/lists/Search';
import { Initials } from '../../../ui/values/Initials';
import { useLoad } from '../../lists/use-load';
import { useDebounced } from '../use-debounced';

const TYPING_PAUSE_MS = 250;
/** How many the server finds, and how many of them are shown: the best of each kind. */
const MAX_FOUND = 25;
const MAX_SUGGESTIONS = 4;
const SEARCH_FAILED = 'Failed to search.';

interface Suggestion extends Addressee {
  /** What tells people of similar names apart. */
  email?: string | null;
}
type SearchResults = { query: string; addressees: readonly Suggestion[] };

type AddresseeKind = Addressee['kind'];
type Find = (pageRequest: PageRequest) => Promise<readonly Suggestion[]>;

export const ADDRESSEE_KINDS: Record<AddresseeKind, { name: string; icon: IconName; find: Find }> =
  {
    topic: {
      name: 'Topic',
      icon: 'tag',
      find: async (pageRequest) =>
        (await readTopics(pageRequest)).rows.map(({ id, title, subscribers }) => ({
          kind: 'topic',
          id,
          name: title,
          ...(subscribers !== undefined && { people: subscribers }),
        })),
    },
    team: {
      name: 'Team',
      icon: 'team',
      find: async (request) =>
        (await readTeams(request)).rows.map(({ id, name, members }) => ({
          kind: 'team',
          id,
          name,
          people: members,
        })),
    },
    person: {
      name: 'Person',
      icon: 'user',
      find: async (request) =>
        (await readUsers(request)).rows.map(({ id, username, email }) => ({
          kind: 'person',
          id,
          name: username,
          email,
        })),
    },
  };
const ALL_ADDRESSEE_KINDS: readonly AddresseeKind[] = ['topic', 'team', 'person'];

const findAmong =
  (kinds: readonly AddresseeKind[]) =>
  async (query: string | undefined): Promise<SearchResults | undefined> => {
    if (query === undefined) return undefined;
    const request = { page: 1, limit: MAX_FOUND, query };
    const rank = rankFor(query);
    const byRank = (a: Suggestion, b: Suggestion) => rank(a) - rank(b);
    const results = await Promise.all(kinds.map((kind) => ADDRESSEE_KINDS[kind].find(request)));
    const addressees = results
      .flatMap((found) => [...found].sort(byRank).slice(0, MAX_SUGGESTIONS))
      .sort(byRank);
    return { query, addressees };
  };

/** Names that begin with the text come first; matches in a description or a domain come last. */
function rankFor(query: string): (suggestion: Suggestion) => number {
  const text = query.toLowerCase();
  return ({ name, email }) => {
    const folded = name.toLowerCase();
    const place = folded.indexOf(text);
    if (place === 0) return 0;
    if (folded.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(text))) return 1;
    if (place > 0) return 2;
    return email?.split('@')[0]?.toLowerCase().includes(text) ? 3 : 4;
  };
}

/** What it is: `Topic · 12 people`, or a person's email. */
const detailText = ({ kind, people, email }: Suggestion): string =>
  people === undefined
    ? email || ADDRESSEE_KINDS[kind].name
    : `${ADDRESSEE_KINDS[kind].name} · ${countedNoun(people, 'person')}`;

export const isSameAddressee = (a: Addressee, b: Addressee): boolean =>
  a.kind === b.kind && a.id === b.id;

interface Props {
  label: string;
  /** The kinds that can be found; all kinds if omitted. */
  kinds?: readonly AddresseeKind[];
  /** Chosen recipients, which are not offered again. */
  pickedAddressees: readonly Addressee[];
  onPick: (addressee: Addressee) => void;
  invalid?: object | undefined;
}

/**
 * Follows the ARIA practices: focus stays in the field, arrows move, Enter picks, Escape closes.
 */
export function AddresseeBox({
  label,
  kinds = ALL_ADDRESSEE_KINDS,
  pickedAddressees,
  onPick,
  invalid,
}: Props) {
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [place, setPlace] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const query = text.trim();
  const settledQuery = useDebounced(query, TYPING_PAUSE_MS);
  const { value: results, failure } = useLoad(
    open && settledQuery === query ? query : undefined,
    findAmong(kinds),
    SEARCH_FAILED,
  );
  // Enter must not pick a result of an older search.
  const suggestions =
    open && results?.query === query
      ? results.addressees.filter(
          (addressee) =>
            !pickedAddressees.some((pickedAddressee) =>
              isSameAddressee(addressee, pickedAddressee),
            ),
        )
      : [];
  const activeIndex = Math.min(place, suggestions.length - 1);
  const optionId = (index: number) => `${id}${index}`;

  function pick(suggestion: Suggestion | undefined) {
    if (!suggestion) return;
    const { email: _shown, ...addressee } = suggestion;
    onPick(addressee);
    closeSuggestions();
    setText('');
  }
  function closeSuggestions() {
    setOpen(false);
    setPlace(0);
  }
  function handleKeyDown(event: KeyboardEvent) {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step) {
      event.preventDefault();
      if (!open) setOpen(true);
      else if (suggestions.length)
        setPlace((activeIndex + step + suggestions.length) % suggestions.length);
    } else if (event.key === 'Enter') {
      event.preventDefault(); // the form is not sent from here
      pick(suggestions[activeIndex]);
    } else if (event.key === 'Escape') {
      if (!open) setText('');
      closeSuggestions();
    }
  }

  const status =
    !open || (results?.query !== query && !failure)
      ? ''
      : failure ||
        (suggestions.length
          ? `${suggestions.length} found.`
          : query && `No results for “${query}”. Try a shorter search.`);
  return (
    <div className="combo">
      <label>
        {label}
        <input
          ref={field}
          type="text"
          name="to"
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={suggestions.length > 0}
          aria-controls={id}
          aria-activedescendant={suggestions.length ? optionId(activeIndex) : undefined}
          autoComplete="off"
          maxLength={MAX_SEARCH_LENGTH}
          dir="auto"
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setPlace(0);
            setOpen(true);
          }}
          onClick={() => setOpen(true)}
          onBlur={closeSuggestions}
          onKeyDown={handleKeyDown}
          {...invalid}
        />
      </label>
      <div
        id={id}
        role="listbox"
        aria-label={label}
        className="panel found"
        hidden={!suggestions.length}
      >
        {suggestions.map((addressee, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the keys and the focus
          <div
            key={addressee.kind + addressee.id}
            id={optionId(index)}
            role="option"
            aria-selected={index === activeIndex}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => pick(addressee)}
          >
            {addressee.kind === 'person' ? (
              <Initials name={addressee.name} />
            ) : (
              <span className={addressee.kind === 'team' ? 'who sq' : 'who'} aria-hidden="true">
                <Icon name={ADDRESSEE_KINDS[addressee.kind].icon} />
              </span>
            )}
            <bdi>{addressee.name}</bdi> <small>{detailText(addressee)}</small>
          </div>
        ))}
      </div>
      <small role="status" className={suggestions.length ? 'sr' : undefined}>
        {status}
      </small>
    </div>
  );
}
