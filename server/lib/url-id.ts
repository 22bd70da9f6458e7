/** An id from a URL, or empty text if it contains NUL, which PostgreSQL rejects. No row has an empty id. */
export const sanitizeIdFromUrl = (text: string): string => (text.includes('\0') ? '' : text);
