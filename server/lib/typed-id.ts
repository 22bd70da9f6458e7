/** A typed id to look up. PostgreSQL rejects NUL in comparisons; no row has ''. */
export const sanitizeIdFromUrl = (text: string): string => (text.includes('\0') ? '' : text);
