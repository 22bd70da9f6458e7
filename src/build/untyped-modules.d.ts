/** Types for packages that bring none, as far as the build and checks use them. */

declare module '@babel/core' {
  interface Options {
    filename: string;
    configFile: boolean;
    babelrc: boolean;
    browserslistConfigFile: boolean;
    parserOpts: { plugins: ('jsx' | 'typescript')[] };
    plugins?: [plugin: unknown, options: object][];
    sourceMaps?: 'inline';
  }
  export function parseSync(code: string, options: Options): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: a tree of a hundred kinds of nodes
  export function traverse(tree: unknown, visitor: Record<string, (path: any) => void>): void;
  const babel: {
    transformAsync(code: string, options: Options): Promise<{ code: string } | null>;
  };
  export default babel;
}

declare module '@preact/signals-react-transform' {
  const transform: unknown;
  export default transform;
}
