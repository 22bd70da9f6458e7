/** Compares the rows of two tables in any order. */
import { createHash } from 'node:crypto';

/** Sums of row hashes: they need no memory and no order, and count duplicates. */
export class Fingerprint {
  rows = 0;
  #first = 0n;
  #second = 0n;

  /** @param values texts, numbers and nulls in the order of the columns */
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
