/** Thrown by a scenario that cannot run here, with the reason. */
export class Skipped extends Error {}
