import { useEffect, useRef } from 'react';

/** As much as the server looks for. */
export const MAX_SEARCH_LENGTH = 200;
/** A pause in typing that is taken for its end. */
const PAUSE_MS = 250;

interface Props {
  label: string;
  /** The present search, where it can change by other means than this field. */
  value?: string;
  onSearch: (query: string) => void;
}

/** A search field that searches by itself when typing pauses. */
export function Search({ label, value = '', onSearch }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  const told = useRef(value);
  useEffect(() => () => clearTimeout(pause.current), []);
  useEffect(() => {
    // What this field said itself is no news to it: there may be more letters in it by now.
    if (!field.current || value === told.current) return;
    clearTimeout(pause.current);
    field.current.value = told.current = value;
  }, [value]);
  function search(text: string) {
    told.current = text.trim();
    onSearch(told.current);
  }
  return (
    <label>
      {label}
      <input
        ref={field}
        type="search"
        name="query"
        maxLength={MAX_SEARCH_LENGTH}
        defaultValue={value}
        autoComplete="off"
        onInput={({ currentTarget }) => {
          clearTimeout(pause.current);
          pause.current = setTimeout(() => search(currentTarget.value), PAUSE_MS);
        }}
      />
    </label>
  );
}
