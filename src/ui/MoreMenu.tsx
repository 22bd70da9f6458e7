import type { MouseEvent, ReactNode, SyntheticEvent } from 'react';
import { Icon } from './Icon';

/**
 * The rarer actions of a row, as buttons or links in `<li>`. It closes after one was pressed, by
 * Escape and by a press elsewhere.
 */
export const MoreMenu = ({ itemName, children }: { itemName: string; children: ReactNode }) => (
  <details className="more" onToggle={closeOnPressOutside}>
    <summary aria-label={`More for ${itemName}`}>
      <Icon name="more" />
    </summary>
    {/* biome-ignore lint/a11y/useKeyWithClickEvents: its buttons are pressed, by keys as well */}
    <ul className="panel" onClick={closeAfterPress}>
      {children}
    </ul>
  </details>
);

/** What was pressed vanishes, so the focus goes to what opened it: a dialog returns it there. */
function closeAfterPress({ target, currentTarget }: MouseEvent<HTMLElement>) {
  if (!(target as Element).closest('button, a')) return;
  const menu = currentTarget.closest('details');
  menu?.querySelector('summary')?.focus();
  menu?.removeAttribute('open');
}

/** Uses no state, as a list has up to a hundred of them. */
function closeOnPressOutside({ currentTarget: menu }: SyntheticEvent<HTMLDetailsElement>) {
  if (!menu.open) return;
  // In the last rows of a list, the menu would end below the edge.
  menu.querySelector('ul')?.scrollIntoView({ block: 'nearest' });
  const stop = new AbortController();
  const closeMenu = () => {
    menu.open = false;
    stop.abort();
  };
  const onPress = ({ target }: Event) => {
    if (!menu.contains(target as Node)) closeMenu();
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape') return;
    closeMenu();
    menu.querySelector('summary')?.focus();
  };
  document.addEventListener('pointerdown', onPress, { signal: stop.signal });
  document.addEventListener('keydown', onKeyDown, { signal: stop.signal });
  menu.addEventListener('toggle', () => stop.abort(), { once: true, signal: stop.signal });
}
