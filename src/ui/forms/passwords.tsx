import { useState } from 'react';

/** Attributes of a form's password fields, and the checkbox that reveals them. */
export function usePasswords(label: string) {
  const [shown, setShown] = useState(false);
  // Browsers may send revealed text to a spelling service, so that is off.
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
