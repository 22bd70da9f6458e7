/**
 * Moves a process's time of day on by CLOCK_AHEAD milliseconds; timers take as long as always.
 * `CLOCK_AHEAD=40000 node --import …/clock-ahead.mjs main.js`
 */
import { ServerResponse } from 'node:http';

const ahead = Number(process.env.CLOCK_AHEAD ?? 0);
const System = Date;

if (ahead)
  globalThis.Date = /** @type {DateConstructor} */ (
    class extends System {
      constructor(/** @type {[]} */ ...originalArguments) {
        if (originalArguments.length > 0) super(...originalArguments);
        else super(System.now() + ahead);
      }
      /** @override */
      static now() {
        return System.now() + ahead;
      }
    }
  );

// Node writes the `Date` header by its own clock.
if (ahead) {
  const { writeHead } = ServerResponse.prototype;
  ServerResponse.prototype.writeHead = function writeHeadAhead(
    /** @type {any[]} */ ...originalArguments
  ) {
    this.setHeader('Date', new Date().toUTCString());
    return Reflect.apply(writeHead, this, originalArguments);
  };
}
