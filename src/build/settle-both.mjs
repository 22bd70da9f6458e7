/**
 * Waits for both even if one fails: the other would write into a folder that is being removed.
 * @template One, Other
 * @param {Promise<One>} one
 * @param {Promise<Other>} other
 */
export async function settleBoth(one, other) {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}
