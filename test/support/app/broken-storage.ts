/** Makes every use of storage throw, as blocked site data does. Returns how to undo it. */
export function breakStorage(): () => void {
  const { localStorage: workingStorage } = globalThis;
  const broken = new Proxy({} as Storage, {
    get: () => () => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    },
  });
  Object.assign(globalThis, { localStorage: broken });
  return () => Object.assign(globalThis, { localStorage: workingStorage });
}
