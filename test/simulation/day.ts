/**
 * A company's day: who sits where, what the database should have, and how each action is checked.
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

export interface Seat {
  hand: Hand;
  kind: 'office' | 'field';
  /** Never reloads its page, so that growth shows. */
  long: boolean;
  push: boolean;
  /** The account signed in here. */
  person: number | undefined;
}

/**
 * What the books should say afterwards; `now` is the database's state, for ids that it gives out.
 */
export type Change = (books: Books, now: Books) => void;

export interface Doing {
  seat: Seat;
  request: string;
  act: () => Promise<unknown>;
  /** The app's words when it is done. */
  says: RegExp;
  changes: Change[];
  /**
   * What may happen besides: Chromium repeats a request once whose answer was lost on a kept
   * connection.
   */
  perhaps?: Change[];
  /** The status with which it should be rejected. */
  refused?: number | undefined;
}

export interface Said {
  done: boolean;
  text: string;
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
    /** The push service's log. */
    readonly pushes: string[],
  ) {}

  #number = 0;
  /** A new word. */
  word(): string {
    return `${this.dice.pick(['Feeder', 'Line', 'Substation', 'Valve', 'Crew', 'Pump', 'Gate', 'Meter'])}-${++this.#number}`;
  }

  usernameOf = (id: number | undefined): string =>
    this.books.users.get(id ?? 0)?.username ?? `(user ${id}, deleted)`;

  /** Throws if the seat is empty. */
  sitter(seat: Seat): number {
    ok(seat.person !== undefined && this.books.users.has(seat.person), 'someone sits there');
    return seat.person!;
  }

  async deviceAt({ hand }: Seat): Promise<number | undefined> {
    const token = await hand.page.evaluate(() => localStorage.getItem('device_token'));
    return token ? this.database.deviceOf(token) : undefined;
  }

  /** Changes the database, perhaps in bad weather, and compares app and database with the books. */
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
      `${this.watch.doing}: the outcome`,
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
   * Updates the books and waits until the database agrees.
   * @param perhaps changes that count if the database shows them
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

  /** The books with the browsers that are registered now, since they choose the time. */
  #withBrowsers(now: Books): Books {
    const books = this.books.copy();
    for (const [id, { phone }] of books.devices)
      if (!phone && !now.devices.has(id)) books.deleteDevice(id);
    for (const [id, device] of now.devices) if (!device.phone) books.devices.set(id, device);
    return books;
  }

  async signIn(seat: Seat, person: number): Promise<void> {
    const { hand } = seat;
    const username = this.usernameOf(person);
    for (;;) {
      await hand.fill('Username', username);
      await hand.fill('Password', this.passwordOf(person));
      const spell = await this.weather.over(hand, 'POST /api/auth/login');
      await hand.press('button', 'Sign in');
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
    // Requests for the device's switches may come after the device is gone.
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

  /** After a session's end the same person signs in and is where they were. */
  async comeBack(seat: Seat): Promise<void> {
    const { hand } = seat;
    const person = this.sitter(seat);
    const next =
      new URL(hand.page.url()).searchParams.get('next') ??
      (seat.kind === 'office' ? '/admin' : '/');
    await hand.see('Your session has ended. Sign in to continue.');
    await this.signIn(seat, person);
    equal(hand.path, next, 'after signing in again they are where they were');
  }

  /** Who may sit there and can sign in. */
  candidates(kind: Seat['kind']): number[] {
    return [...this.books.users]
      .filter(
        ([, { role, status }]) => status === 'ACTIVE' && (role === 'ADMIN') === (kind === 'office'),
      )
      .map(([id]) => id);
  }

  /** Ends every sitting of this account: the next step leads to the login form. */
  async sentAway(person: number): Promise<void> {
    for (const seat of this.seats.filter((each) => each.person === person)) {
      this.watch.allowed.add(401);
      const { hand } = seat;
      const out = async () => (await hand.look('outcome'))?.is === 'ended';
      // Anything that asks the server.
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
      await hand.see('Your session has ended. Sign in to continue.');
      seat.person = undefined;
      const next =
        seat.kind === 'office'
          ? this.dice.pick(this.candidates('office'))
          : this.dice.pick(this.candidates('field'));
      await this.signIn(seat, next);
      await this.settle();
    }
  }

  /** A moment without network makes the app ask for everything again. */
  async blink({ hand }: Seat): Promise<void> {
    await hand.page.setOfflineMode(true);
    await hand.until(() => !navigator.onLine, 'the device to notice that it is offline');
    await hand.page.setOfflineMode(false);
  }

  notifications = 0;

  /** Waits until all is delivered, and compares the phones with the database. */
  async allDelivered(): Promise<void> {
    await eventually(
      async () => !(await this.database.deliveries()).get('pending'),
      'all messages to be delivered',
      30_000,
    );
    deepEqual(this.phones.missed(), []);
  }
}
