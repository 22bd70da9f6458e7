export { parseSource } from '../../src/build/languages/texts.mjs';

/** A node and all nodes within it, without nodes that `isLeftOut` names. */
export function* walkNodes(node, isLeftOut = (_node) => false) {
  if (typeof node !== 'object' || node === null || isLeftOut(node)) return;
  if (typeof node.type === 'string') yield node;
  for (const [name, child] of Object.entries(node))
    if (name !== 'loc') yield* walkNodes(child, isLeftOut);
}
