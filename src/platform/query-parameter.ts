/**
 * This is a separate module, because the build also renders the login form without a page.
 * @returns null if absent
 */
export const queryParameter = (name: string): string | null =>
  new URLSearchParams(location.search).get(name);
