/** What a JWT's signature covers (RFC 7515, 5.1). */
export const jwtSigningInput = (header: object, claims: object): string =>
  [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
