import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon, type IconName } from '../../ui/Icon';
import { listLink } from './list-address';

/** A tile's state, words, number of people, detail, and tone. */
export type CountTile<Name extends string> = readonly [
  Name,
  ReactNode,
  number,
  detail?: string,
  tone?: string | undefined,
];

interface Props<Name extends string> {
  tiles: readonly CountTile<Name>[];
  /** The current tile. */
  shown: string;
  /** The address of a tile's people. */
  addressOf: (name: Name) => string;
}

/** A tile's words behind their icon. */
export const labelWithIcon = (icon: IconName, words: ReactNode) => (
  <>
    <Icon name={icon} />
    {words}
  </>
);

/** Counts of people as links to their names. */
export const Tiles = <Name extends string>({ tiles, shown, addressOf }: Props<Name>) => (
  <nav className="panel tally" aria-label="Show people by state">
    {tiles.map(([name, words, count, detail, tone]) => (
      <Link
        key={name}
        {...listLink(addressOf(name))}
        aria-current={name === shown ? 'true' : undefined}
      >
        <b key={count} data-tone={tone}>
          {count.toLocaleString()}
        </b>{' '}
        <small>{words}</small>
        {detail && <small> {detail}</small>}
      </Link>
    ))}
  </nav>
);
