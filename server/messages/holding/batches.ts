/** How many people's quiet hours end in one transaction, by how much waited for them. */

/** So many messages at once, unless they are all one person's. */
export const MAX_HELD = 1000;

/**
 * @param people in their order
 * @param heldFor how many messages wait for somebody
 * @returns the same in the same order, of whom no few have too many together
 */
export function inBatches<Person>(
  people: readonly Person[],
  heldFor: (person: Person) => number,
): Person[][] {
  const batches: Person[][] = [];
  let room = 0;
  for (const person of people) {
    const held = heldFor(person);
    const batch = batches.at(-1);
    if (batch !== undefined && held <= room) batch.push(person);
    else {
      batches.push([person]);
      room = MAX_HELD;
    }
    room -= held;
  }
  return batches;
}
