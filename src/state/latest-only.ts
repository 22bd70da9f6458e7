/** An earlier request may get its response later. Each call returns whether it is still the latest. */
export function latestOnly(): () => () => boolean {
  let latestCall = 0;
  return () => {
    const ownCall = ++latestCall;
    return () => ownCall === latestCall;
  };
}
