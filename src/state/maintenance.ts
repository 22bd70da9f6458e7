/** Loaded apart from the other states, since it is rarely needed. */
export { reset, workerVersion } from '../platform/maintenance';
