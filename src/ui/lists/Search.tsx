import { useEffect, useRef } from 'react';

/** The server's limit. */
export const MAX_SEARCH_LENGTH = 200;
const TYPING_PAUSE_MS = 250;

interface Props {
  label: string;
  /** The current search, if other controls can change it. */
  value?: string;
  onSearch: (query: string) => void;
}

/** Searches when typing pauses. */
export function Search({ label, value = '', onSearch }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lastSearch = useRef(value);
  useEffect(() => () => clearTimeout(pause.current), []);
  useEffect(() => {
    // Ignore the echo of this field's own search: more may have been typed since.
    if (!field.current || value === lastSearch.current) return;
    clearTimeout(pause.current);
    field.current.value = lastSearch.current = value;
  }, [value]);
  function search(text: string) {
    lastSearch.current = text.trim();
    onSearch(lastSearch.current);
  }
  return (
    <label>
      {label}
      <input
        ref={field}
        type="search"
        dir="auto"
        name="query"
        maxLength={MAX_SEARCH_LENGTH}
        defaultValue={value}
        autoComplete="off"
        onInput={({ currentTarget }) => {
          clearTimeout(pause.current);
          pause.current = setTimeout(() => search(currentTarget.value), TYPING_PAUSE_MS);
        }}
      />
    </label>
  );
}
