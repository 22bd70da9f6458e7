/** Or null. A module of its own: the login form is also built without a page. */
export const queryParameter = (name: string): string | null =>
  new URLSearchParams(location.search).get(name);
