/** `uvu` for the tests (see `run.mjs`), which tells the runner the running test's name. */
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
