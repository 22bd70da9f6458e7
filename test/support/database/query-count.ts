import type { KyselyPlugin } from 'kysely';

export function countQueries(): { plugin: KyselyPlugin; asked(): number } {
  let asked = 0;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      asked += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { plugin, asked: () => asked };
}
