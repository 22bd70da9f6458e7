import { useEffect, useRef } from 'react';

/** A pause in typing that is taken for its end. */
const PAUSE_MS = 250;

/** A search field that searches by itself when typing pauses. */
export function Search({ label, onSearch }: { label: string; onSearch: (query: string) => void }) {
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(pause.current), []);
  return (
    <label>
      {label}
      <input
        type="search"
        name="query"
        autoComplete="off"
        onInput={({ currentTarget }) => {
          clearTimeout(pause.current);
          pause.current = setTimeout(() => onSearch(currentTarget.value.trim()), PAUSE_MS);
        }}
      />
    </label>
  );
}
