/** `uvu` for the tests (see `run.mjs`), which tells the runner the running test's name. */
import { suite as unnamed, test as alone } from 'uvu';

export const suite = (name) => named(unnamed(name));

function named(add) {
  const reportName = (addOne) => (title, handler) =>
    addOne(title, (state) => {
      globalThis.RUNNING?.(title);
      return handler(state);
    });
  return Object.assign(reportName(add), add, { only: reportName(add.only) });
}

export const test = named(alone);
