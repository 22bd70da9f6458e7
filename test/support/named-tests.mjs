/**
 * What the tests get for `uvu` (see `run.mjs`): the same, and while a test runs, its name is known
 * to the runner.
 */
import { suite as unnamed, test as alone } from 'uvu';

export const suite = (name) => named(unnamed(name));

function named(add) {
  const tell = (addOne) => (title, handler) =>
    addOne(title, (state) => {
      globalThis.RUNNING?.(title);
      return handler(state);
    });
  return Object.assign(tell(add), add, { only: tell(add.only) });
}

export const test = named(alone);
