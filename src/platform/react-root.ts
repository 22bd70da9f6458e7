/** What source means by `react-dom/client`. */
import { hydrate, render, type ComponentChild } from 'preact';

export const createRoot = (root: Element) => ({ render: (node: ComponentChild) => render(node, root) });

/** Takes over markup that is already there, with what was typed into it. */
export const hydrateRoot = (root: Element, node: ComponentChild) => hydrate(node, root);
