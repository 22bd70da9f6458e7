import { Link } from 'wouter';
import { cameFrom, noteEntry } from './address';

/** With its words, how many people there are of it, and what else is known of them. */
export type Tile<Name extends string> = readonly [Name, string, number, detail?: string];

interface Props<Name extends string> {
  tiles: readonly Tile<Name>[];
  /** Which people are shown. */
  shown: string;
  /** Where those of a tile are shown. */
  addressOf: (name: Name) => string;
  /** Those that have the colour and the pattern of the state that they are named after. */
  swatches?: readonly string[];
}

/** How many people there are of each kind, as the way to their names. */
export const Tiles = <Name extends string>({ tiles, shown, addressOf, swatches }: Props<Name>) => (
  <nav className={swatches ? 'panel tally eight' : 'panel tally'} aria-label="Show people by state">
    {tiles.map(([name, words, count, detail]) => (
      <Link
        key={name}
        href={addressOf(name)}
        replace
        state={noteEntry(cameFrom())}
        aria-current={name === shown ? 'true' : undefined}
      >
        <b>{count.toLocaleString()}</b>{' '}
        <small>
          {swatches?.includes(name) && <i className="swatch" data-state={name} />}
          {words}
        </small>
        {detail && <small> {detail}</small>}
      </Link>
    ))}
  </nav>
);
