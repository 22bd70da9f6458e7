/** Repeatable chance: one seed gives the same choices (mulberry32, public domain). */
export class RandomChoices {
  #state: number;

  constructor(readonly seed: number) {
    this.#state = seed >>> 0;
  }

  #roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Both ends included. */
  integerBetween(least: number, most: number): number {
    return least + Math.floor(this.#roll() * (most - least + 1));
  }

  happens(percent: number): boolean {
    return this.#roll() * 100 < percent;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('Nothing to pick from');
    return list[this.integerBetween(0, list.length - 1)]!;
  }

  pickByWeight<T extends { weight: number }>(list: readonly T[]): T {
    let remainingWeight = this.#roll() * list.reduce((sum, { weight }) => sum + weight, 0);
    return list.find(({ weight }) => (remainingWeight -= weight) < 0) ?? list[0]!;
  }

  /** In their order, from one to `most`. */
  pickSome<T>(list: readonly T[], most: number): T[] {
    const remainingItems = [...list];
    const chosen = new Set<T>();
    for (
      let count = this.integerBetween(1, Math.min(most, remainingItems.length));
      count > 0;
      count--
    )
      chosen.add(remainingItems.splice(this.integerBetween(0, remainingItems.length - 1), 1)[0]!);
    return list.filter((each) => chosen.has(each));
  }
}
