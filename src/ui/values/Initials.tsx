/** A circle with up to two letters of a name, beside the name itself. */
export const Initials = ({ name }: { name: string }) => (
  <span className="who" aria-hidden="true">
    {getInitials(name)}
  </span>
);

/** `ada.lindqvist` is `AL`, `admin` is `AD`. */
export function getInitials(name: string): string {
  const [first = '', second = ''] = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const letters = second === '' ? [...first].slice(0, 2) : [[...first][0], [...second][0]];
  return letters.join('').toUpperCase();
}
