import { Link } from 'wouter';
import { cameFrom, note } from './address';

interface Props<Name extends string> {
  /** Each with its words, and how many people there are of it. */
  tiles: readonly (readonly [Name, string, number])[];
  /** Which people are shown. */
  shown: string;
  /** Where those of a tile are shown. */
  addressOf: (name: Name) => string;
}

/** How many people there are of each kind, as the way to their names. */
export const Tiles = <Name extends string>({ tiles, shown, addressOf }: Props<Name>) => (
  <nav className="panel tally" aria-label="Show people by state">
    {tiles.map(([name, words, count]) => (
      <Link
        key={name}
        href={addressOf(name)}
        replace
        state={note(cameFrom())}
        aria-current={name === shown ? 'true' : undefined}
      >
        <b>{count.toLocaleString()}</b> <small>{words}</small>
      </Link>
    ))}
  </nav>
);
