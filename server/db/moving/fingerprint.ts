/** What two tables have in common if they hold the same rows, in whatever order. */
import { createHash } from 'node:crypto';

/**
 * Counts rows and adds up their hashes. Only the sums are kept, so a table of any size takes no
 * memory; a row that is there twice counts twice. Sums need no order: the two engines sort text
 * differently.
 */
export class Fingerprint {
  rows = 0;
  #first = 0n;
  #second = 0n;

  /** @param values in the order of the columns: texts, numbers and nulls */
  add(values: readonly unknown[]): void {
    const hash = createHash('sha256').update(JSON.stringify(values)).digest();
    this.rows += 1;
    this.#first = BigInt.asUintN(64, this.#first + hash.readBigUInt64BE(0));
    this.#second = BigInt.asUintN(64, this.#second + hash.readBigUInt64BE(8));
  }

  equals(other: Fingerprint): boolean {
    return (
      this.rows === other.rows && this.#first === other.#first && this.#second === other.#second
    );
  }
}
