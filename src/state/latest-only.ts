/** An earlier request may get its response later. Each call returns whether it is still the latest. */
export function latestOnly(): () => () => boolean {
  let latest = 0;
  return () => {
    const own = ++latest;
    return () => own === latest;
  };
}
