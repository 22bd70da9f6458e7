/**
 * Questions of which only the latest counts: an earlier one may be answered later, and even in
 * another session. Each call asks one, and returns whether it still is the latest.
 */
export function latestOnly(): () => () => boolean {
  let latest = 0;
  return () => {
    const mine = ++latest;
    return () => mine === latest;
  };
}
