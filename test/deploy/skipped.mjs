/** What a scenario throws that cannot be told here, with the reason. */
export class Skipped extends Error {}
