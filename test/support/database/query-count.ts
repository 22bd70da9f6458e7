import type { KyselyPlugin } from 'kysely';

export function createQueryCounter(): { plugin: KyselyPlugin; countQueries(): number } {
  let callCount = 0;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      callCount += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { plugin, countQueries: () => callCount };
}
