/**
 * Moves the time of day of a process on, by CLOCK_AHEAD milliseconds: what it waits for takes as
 * long as always. For a server under test: `CLOCK_AHEAD=40000 node --import …/clock-ahead.mjs main.js`
 */
const ahead = Number(process.env.CLOCK_AHEAD ?? 0);
const System = Date;

if (ahead)
  globalThis.Date = /** @type {DateConstructor} */ (
    class extends System {
      constructor(/** @type {[]} */ ...given) {
        if (given.length > 0) super(...given);
        else super(System.now() + ahead);
      }
      /** @override */
      static now() {
        return System.now() + ahead;
      }
    }
  );
