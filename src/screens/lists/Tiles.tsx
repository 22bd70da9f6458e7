import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon, type IconName } from '../../ui/Icon';
import { previousListQuery, createHistoryEntry } from './list-address';

/** Its name, words, number of people, and a detail. */
export type CountTile<Name extends string> = readonly [Name, ReactNode, number, detail?: string];

interface Props<Name extends string> {
  tiles: readonly CountTile<Name>[];
  /** The current tile. */
  shown: string;
  /** The address of a tile's people. */
  addressOf: (name: Name) => string;
  /** Tiles with the swatch of their state. */
  swatches?: readonly string[];
}

/** A tile's words behind their icon. */
export const labelWithIcon = (icon: IconName, words: ReactNode) => (
  <>
    <Icon name={icon} />
    {words}
  </>
);

/** Counts of people as links to their names. */
export const Tiles = <Name extends string>({ tiles, shown, addressOf, swatches }: Props<Name>) => (
  <nav className={swatches ? 'panel tally eight' : 'panel tally'} aria-label="Show people by state">
    {tiles.map(([name, words, count, detail]) => (
      <Link
        key={name}
        href={addressOf(name)}
        replace
        state={createHistoryEntry(previousListQuery())}
        aria-current={name === shown ? 'true' : undefined}
      >
        <b>
          {count.toLocaleString()}
          {swatches?.includes(name) && <i className="swatch" data-state={name} />}
        </b>{' '}
        <small>{words}</small>
        {detail && <small> {detail}</small>}
      </Link>
    ))}
  </nav>
);
