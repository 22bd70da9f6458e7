/**
 * `fast-check` for the tests (see `run.mjs`), with this run's seed so that a second attempt meets
 * the same values.
 */
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.SEED) });

export default fc;
