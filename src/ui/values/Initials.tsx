/** A circle with up to two letters of a name, beside the name itself. */
export const Initials = ({ name }: { name: string }) => (
  <span className="who" aria-hidden="true">
    {getInitials(name)}
  </span>
);

/** `ada.lindqvist` is `AL`, `admin` is `AD`. */
export function getInitials(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.length > 1 ? words.map(([letter]) => letter) : [...(words[0] ?? '')];
  return letters.slice(0, 2).join('').toUpperCase();
}
