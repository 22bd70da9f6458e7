/** A module of its own, because the login form is also built without a page. @returns null if absent */
export const queryParameter = (name: string): string | null =>
  new URLSearchParams(location.search).get(name);
