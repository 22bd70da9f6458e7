/**
 * The day of a company: who sits where, what ought to be in the database, and how one thing that is
 * done is followed up.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { PASSWORD, type Company } from '../e2e/parts/company';
import { ADMIN_PASSWORD } from '../support/processes/installation';
import { eventually } from '../support/eventually';
import { differences, type Books } from './model';
import type { Database } from './database';
import type { Dice } from './random';
import type { Hand } from './driver';
import type { Phones } from './phones';
import type { Watch } from './watch';
import type { Weather } from './network-faults';

/** A browser at which people take turns. */
export interface Seat {
  hand: Hand;
  kind: 'office' | 'field';
  /** Never reloads its page, so that what grows in it can be seen. */
  long: boolean;
  /** Can be reached by pushes. */
  push: boolean;
  /** Who is signed in: the id of an account. */
  person: number | undefined;
}

/**
 * What the books ought to say afterwards. `now` is what the database says, for ids that only it
 * gives out.
 */
export type Change = (books: Books, now: Books) => void;

export interface Doing {
  seat: Seat;
  /** How the request begins that does it. */
  request: string;
  act: () => Promise<unknown>;
  /** The words that are shown when it is done. */
  says: RegExp;
  changes: Change[];
  /**
   * What may come on top where an answer was lost: Chromium sends again by itself, once, what was
   * lost on a connection that it had kept open.
   */
  perhaps?: Change[];
  /** The status with which it is refused, where it ought to be. */
  refused?: number | undefined;
}

export interface Said {
  /** Whether the person was told that it is done. */
  done: boolean;
  text: string;
  /** Whether nothing stood in the way. */
  clear: boolean;
}

export class Day {
  constructor(
    readonly dice: Dice,
    public books: Books,
    readonly database: Database,
    readonly seats: Seat[],
    readonly weather: Weather,
    readonly watch: Watch,
    readonly phones: Phones,
    readonly company: Company,
    /** What the browsers' push service saw, line by line. */
    readonly pushes: string[],
  ) {}

  #number = 0;
  /** A word that was not used before. */
  word(): string {
    return `${this.dice.pick(['Feeder', 'Line', 'Substation', 'Valve', 'Crew', 'Pump', 'Gate', 'Meter'])}-${++this.#number}`;
  }

  usernameOf = (id: number | undefined): string =>
    this.books.users.get(id ?? 0)?.username ?? `(user ${id}, deleted)`;

  /** The account of the person who sits there; throws without one. */
  sitter(seat: Seat): number {
    ok(seat.person !== undefined && this.books.users.has(seat.person), 'somebody sits there');
    return seat.person!;
  }

  /** This browser as the server knows it. */
  async deviceAt({ hand }: Seat): Promise<number | undefined> {
    const token = await hand.page.evaluate(() => localStorage.getItem('device_token'));
    return token ? this.database.deviceOf(token) : undefined;
  }

  /**
   * Does something that changes the database, perhaps in bad weather, and follows it up: what the
   * app says, what the database says, and that the two agree with the books.
   */
  async change({ seat, request, act, says, changes, perhaps = [], refused }: Doing): Promise<Said> {
    const { hand } = seat;
    if (refused) this.watch.allowed.add(refused);
    const spell = await this.weather.over(hand, request);
    if (spell) for (const status of [404, 409]) this.watch.allowed.add(status); // what was sent again finds it done
    this.watch.doing += spell ? ` (${spell.name})` : '';
    await hand.look('forgetNotices');
    await act();
    const { is, text } = await hand.until(
      () => window.eyes.outcome(),
      `${this.watch.doing}: what became of it`,
    );
    const clear = !spell || spell.effect === 'late';
    if (!clear) await hand.rest(); // where several were asked for, the others go on
    await spell?.lift();
    if (clear) equal(is, refused ? 'bad' : 'good', `${this.watch.doing}: ${text}`);
    if (is === 'good') ok(says.test(text), `${this.watch.doing}: it says "${text}"`);
    if (clear) await this.settle(refused ? [] : changes);
    else if (is === 'good') await this.settle(changes, perhaps);
    else await this.settle([], [...changes, ...perhaps]);
    if (is === 'ended') await this.comeBack(seat);
    return { done: is === 'good', text, clear };
  }

  /**
   * Brings the books up to date, and waits until the database agrees.
   * @param perhaps changes that cannot be foreseen: those that the database shows
   */
  async settle(changes: readonly Change[] = [], perhaps: readonly Change[] = []): Promise<void> {
    let left: string[] = [];
    const agree = async () => {
      const now = await this.database.books();
      let ought = this.#withBrowsers(now);
      for (const change of changes) change(ought, now);
      for (const change of perhaps) {
        const changed = ought.copy();
        change(changed, now);
        if (differences(changed, now).length < differences(ought, now).length) ought = changed;
      }
      left = differences(ought, now);
      if (left.length === 0) this.books = ought;
      return left.length === 0;
    };
    await eventually(agree, 'the database to agree').catch((cause: unknown) => {
      throw new Error(
        `${this.watch.doing}: the database does not agree:\n${left.join('\n')}\n${String(cause)}`,
        { cause },
      );
    });
  }

  /**
   * The books with the browsers that are registered now: when that happens is theirs to choose.
   * Which may be, `signIn` and `signOut` see to.
   */
  #withBrowsers(now: Books): Books {
    const books = this.books.copy();
    for (const [id, { phone }] of books.devices)
      if (!phone && !now.devices.has(id)) books.deleteDevice(id);
    for (const [id, device] of now.devices) if (!device.phone) books.devices.set(id, device);
    return books;
  }

  /** Signs in at the login form that is shown. */
  async signIn(seat: Seat, person: number): Promise<void> {
    const { hand } = seat;
    const username = this.usernameOf(person);
    for (;;) {
      await hand.fill('Username', username);
      await hand.fill('Password', this.passwordOf(person));
      const spell = await this.weather.over(hand, 'POST /api/auth/login');
      await hand.press('button', 'Log in');
      const signedIn = await hand.until(
        (name) =>
          window.eyes.text().includes(`Logged in as: ${name}`)
            ? 'yes'
            : window.eyes.failure() && 'no',
        `${this.watch.doing}: to sign in as ${username}`,
        username,
      );
      await spell?.lift();
      if (signedIn === 'yes') break;
      ok(spell, `${username} cannot sign in: ${await hand.look('failure')}`);
    }
    seat.person = person;
  }

  passwordOf = (person: number): string =>
    this.usernameOf(person) === 'admin' ? ADMIN_PASSWORD : PASSWORD;

  async signOut(seat: Seat): Promise<void> {
    const { hand } = seat;
    const spell = seat.push
      ? await this.weather.over(hand, 'DELETE /api/notifications/unregister-device')
      : undefined;
    const device = seat.push ? await this.deviceAt(seat) : undefined;
    // What is asked about the device's switches just then comes to a device that is gone, and is
    // not seen.
    if (device !== undefined) this.watch.allowed.add(404);
    await hand.press('button', 'Logout');
    await hand.until(() => window.eyes.outcome()?.is === 'ended', 'to be signed out');
    await spell?.lift();
    equal(hand.path, '/login');
    if (device !== undefined && !spell) {
      const { devices } = await this.database.books();
      equal(devices.has(device), false, 'the device is unregistered before the session is over');
    }
    seat.person = undefined;
    await this.settle();
  }

  /** After a session that ended by itself: the same person signs in, and is where they were. */
  async comeBack(seat: Seat): Promise<void> {
    const { hand } = seat;
    const person = this.sitter(seat);
    const next =
      new URL(hand.page.url()).searchParams.get('next') ??
      (seat.kind === 'office' ? '/admin' : '/');
    await hand.see('Your session has ended. Log in to go on.');
    await this.signIn(seat, person);
    equal(hand.path, next, 'after signing in again they are where they were');
  }

  /** Those who may be at such a seat and can sign in. */
  candidates(kind: Seat['kind']): number[] {
    return [...this.books.users]
      .filter(
        ([, { role, status }]) => status === 'ACTIVE' && (role === 'ADMIN') === (kind === 'office'),
      )
      .map(([id]) => id);
  }

  /**
   * Ends the sitting of everyone whose account this is: their next step leads to the login form,
   * where somebody else begins.
   */
  async sentAway(person: number): Promise<void> {
    for (const seat of this.seats.filter((each) => each.person === person)) {
      this.watch.allowed.add(401);
      const { hand } = seat;
      const out = async () => (await hand.look('outcome'))?.is === 'ended';
      // Whatever they do next that asks the server for something.
      if (!(await out()))
        await hand
          .press('link', seat.kind === 'office' ? 'Dashboard' : 'Notifications')
          .catch(() => undefined);
      if (!(await out()) && seat.kind === 'office')
        await hand.press('link', 'Users').catch(() => undefined);
      else if (!(await out())) await this.blink(seat);
      await hand.until(
        () => window.eyes.outcome()?.is === 'ended',
        `${this.usernameOf(person)} to be sent to the login form`,
      );
      await hand.see('Your session has ended. Log in to go on.');
      seat.person = undefined;
      const next =
        seat.kind === 'office'
          ? this.dice.pick(this.candidates('office'))
          : this.dice.pick(this.candidates('field'));
      await this.signIn(seat, next);
      await this.settle();
    }
  }

  /** The network is gone for a moment: then the app asks for everything again. */
  async blink({ hand }: Seat): Promise<void> {
    await hand.page.setOfflineMode(true);
    await hand.until(() => !navigator.onLine, 'the device to notice that it is offline');
    await hand.page.setOfflineMode(false);
  }

  /** How many notifications were seen in browsers. */
  notifications = 0;

  /**
   * Waits until all that was sent is delivered, and compares what the phones got with what the
   * database says.
   */
  async allDelivered(): Promise<void> {
    await eventually(
      async () => !(await this.database.deliveries()).get('pending'),
      'all messages to be delivered',
      30_000,
    );
    deepEqual(this.phones.missed(), []);
  }
}
