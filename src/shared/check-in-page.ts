/** Where a reminder of a check-in leads. */
export const CHECK_IN_PAGE = '/check-in';
