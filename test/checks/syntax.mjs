import { parseSync } from '@babel/core';

export const parse = (source) =>
  parseSync(source, {
    filename: 'source.tsx',
    configFile: false,
    babelrc: false,
    browserslistConfigFile: false,
    parserOpts: { plugins: ['typescript', 'jsx'] },
  });

/** All nodes within one, itself first, without those that `isLeftOut` names. */
export function* nodesIn(node, isLeftOut = (_node) => false) {
  if (typeof node !== 'object' || node === null || isLeftOut(node)) return;
  if (typeof node.type === 'string') yield node;
  for (const [name, child] of Object.entries(node))
    if (name !== 'loc') yield* nodesIn(child, isLeftOut);
}
