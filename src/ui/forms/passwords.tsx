import { useState } from 'react';

/** What all fields for passwords of a form have, and the checkbox that shows what is typed there. */
export function usePasswords(label: string) {
  const [shown, setShown] = useState(false);
  // Shown as text, it is still no text: nothing checks its spelling, which some browsers have done
  // elsewhere.
  const field = {
    type: shown ? 'text' : 'password',
    autoCapitalize: 'none',
    spellCheck: 'false',
    required: true,
  } as const;
  const checkbox = (
    <label className="show">
      <input type="checkbox" checked={shown} onChange={() => setShown(!shown)} />
      {label}
    </label>
  );
  return { field, checkbox };
}
