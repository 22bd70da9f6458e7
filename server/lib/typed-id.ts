/** An id as somebody typed it, to be looked for. PostgreSQL takes no NUL, not even to compare with: no row has ''. */
export const asTypedId = (text: string): string => (text.includes('\0') ? '' : text);
