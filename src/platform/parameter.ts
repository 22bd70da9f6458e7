/** The value of a search parameter of the address, or null. For the login form, which is also built without a page. */
export const parameter = (name: string): string | null =>
  new URLSearchParams(location.search).get(name);
