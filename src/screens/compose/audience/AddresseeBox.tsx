import { useId, useRef, useState, type KeyboardEvent } from 'react';
import type { Addressee } from '../../../state/messages/composing';
import { readTeams } from '../../../state/teams/teams';
import type { PageRequest } from '../../../state/read-all-pages';
import { readTopics } from '../../../state/topics/topics';
import { readUsers } from '../../../state/users/users';
import type { IconName } from '../../../ui/Icon';
import { MAX_SEARCH_LENGTH } from '../../../ui/lists/Search';
import { useLoad } from '../../lists/use-load';
import { useDebounced } from '../use-debounced';

const TYPING_PAUSE_MS = 250;
/** The limit for each kind of addressee. */
const MAX_SUGGESTIONS = 5;
const SEARCH_FAILED = 'Failed to search.';

type SearchResults = { query: string; addressees: readonly Addressee[] };

type AddresseeKind = Addressee['kind'];
type Find = (pageRequest: PageRequest) => Promise<readonly Addressee[]>;

export const ADDRESSEE_KINDS: Record<AddresseeKind, { name: string; icon: IconName; find: Find }> =
  {
    topic: {
      name: 'Topic',
      icon: 'tag',
      find: async (pageRequest) =>
        (await readTopics(pageRequest)).rows.map(({ id, title }) => ({
          kind: 'topic',
          id,
          name: title,
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
        (await readUsers(request)).rows.map(({ id, username }) => ({
          kind: 'person',
          id,
          name: username,
        })),
    },
  };
const ALL_ADDRESSEE_KINDS: readonly AddresseeKind[] = ['topic', 'team', 'person'];

const findAmong =
  (kinds: readonly AddresseeKind[]) =>
  async (query: string | undefined): Promise<SearchResults | undefined> => {
    if (query === undefined) return undefined;
    const request = { page: 1, limit: MAX_SUGGESTIONS, query };
    const results = await Promise.all(kinds.map((kind) => ADDRESSEE_KINDS[kind].find(request)));
    return { query, addressees: results.flat() };
  };

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

  function pick(addressee: Addressee | undefined) {
    if (!addressee) return;
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
            <bdi>{addressee.name}</bdi> <small>{ADDRESSEE_KINDS[addressee.kind].name}</small>
          </div>
        ))}
      </div>
      <small role="status" className={suggestions.length ? 'sr' : undefined}>
        {status}
      </small>
    </div>
  );
}
