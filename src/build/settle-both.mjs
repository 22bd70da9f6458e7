/**
 * Waits for both even if one fails: the other would write into a folder that is being removed.
 * @template One, Other
 * @param {Promise<One>} firstPromise
 * @param {Promise<Other>} secondPromise
 */
export async function settleBoth(firstPromise, secondPromise) {
  await Promise.allSettled([firstPromise, secondPromise]);
  return Promise.all([firstPromise, secondPromise]);
}
