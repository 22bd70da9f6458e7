/**
 * Simulates a company's day: tracks who uses which browser, predicts the database's state, and
 * checks each action against it.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { PERSON_PASSWORD, type Company } from '../e2e/parts/company';
import { ADMIN_PASSWORD } from '../support/processes/installation';
import { eventually } from '../support/eventually';
import { listDifferences, type ExpectedData } from './expected-data';
import type { Database } from './database';
import type { RandomChoices } from './random';
import type { PageDriver } from './page-driver';
import type { SimulatedPhones } from './phones';
import type { PageMonitor } from './page-monitor';
import type { NetworkFaults } from './network-faults';

export interface Workplace {
  driver: PageDriver;
  kind: 'office' | 'field';
  /** Never reloads its page, so that growth shows. */
  keepsPage: boolean;
  receivesPushes: boolean;
  /** The account signed in here. */
  person: number | undefined;
}

/**
 * How the expected data changes; `now` is the database's state, for ids that it gives out.
 */
export type ExpectedChange = (expectedData: ExpectedData, now: ExpectedData) => void;

export interface CheckedAction {
  workplace: Workplace;
  request: string;
  act: () => Promise<unknown>;
  /** Matches the app's text after success. */
  successText: RegExp;
  changes: ExpectedChange[];
  /**
   * Changes that may happen in addition: Chromium repeats a request whose response was lost on a
   * reused connection.
   */
  possibleChanges?: ExpectedChange[];
  /** The status with which the server should reject it. */
  rejectedWith?: number | undefined;
}

export interface ActionOutcome {
  isDone: boolean;
  text: string;
  isClear: boolean;
}

export class SimulatedDay {
  constructor(
    readonly random: RandomChoices,
    public expectedData: ExpectedData,
    readonly database: Database,
    readonly workplaces: Workplace[],
    readonly networkFaults: NetworkFaults,
    readonly monitor: PageMonitor,
    readonly phones: SimulatedPhones,
    readonly company: Company,
    /** The push service's log. */
    readonly pushes: string[],
  ) {}

  #number = 0;
  /** A new word. */
  createWord(): string {
    return `${this.random.pick(['Feeder', 'Line', 'Substation', 'Valve', 'Crew', 'Pump', 'Gate', 'Meter'])}-${++this.#number}`;
  }

  usernameOf = (id: number | undefined): string =>
    this.expectedData.users.get(id ?? 0)?.username ?? `(user ${id}, deleted)`;

  /** Returns who is signed in here. Throws if no one is. */
  personAt(workplace: Workplace): number {
    ok(
      workplace.person !== undefined && this.expectedData.users.has(workplace.person),
      'someone is signed in there',
    );
    return workplace.person!;
  }

  async deviceAt({ driver }: Workplace): Promise<number | undefined> {
    const token = await driver.page.evaluate(() => localStorage.getItem('device_token'));
    return token ? this.database.deviceOf(token) : undefined;
  }

  /** Changes the database, perhaps with a network fault. Compares app and database with the data. */
  async runChecked({
    workplace,
    request,
    act,
    successText: says,
    changes,
    possibleChanges: perhaps = [],
    rejectedWith: refused,
  }: CheckedAction): Promise<ActionOutcome> {
    const { driver } = workplace;
    if (refused) this.monitor.allowedStatuses.add(refused);
    const period = await this.networkFaults.startRandomFault(driver, request);
    // After a network fault, the app repeats a request that may already have succeeded.
    if (period) for (const status of [404, 409]) this.monitor.allowedStatuses.add(status);
    this.monitor.currentAction += period ? ` (${period.name})` : '';
    await driver.query('forgetNotices');
    await act();
    const { kind, text } = await driver.waitUntil(
      () => window.pageQueries.outcome(),
      `${this.monitor.currentAction}: the outcome`,
    );
    const clear = !period || period.effect === 'late';
    // An action may send several requests, and only one of them met the fault.
    if (!clear) await driver.waitForCalls();
    await period?.lift();
    if (clear) equal(kind, refused ? 'bad' : 'good', `${this.monitor.currentAction}: ${text}`);
    if (kind === 'good') ok(says.test(text), `${this.monitor.currentAction}: it says "${text}"`);
    if (clear) await this.waitForDatabase(refused ? [] : changes);
    else if (kind === 'good') await this.waitForDatabase(changes, perhaps);
    else await this.waitForDatabase([], [...changes, ...perhaps]);
    if (kind === 'ended') await this.signInAgain(workplace);
    return { isDone: kind === 'good', text, isClear: clear };
  }

  /**
   * Updates the expected data and waits until the database agrees.
   * @param perhaps changes that count if the database shows them
   */
  async waitForDatabase(
    changes: readonly ExpectedChange[] = [],
    perhaps: readonly ExpectedChange[] = [],
  ): Promise<void> {
    let remainingDifferences: string[] = [];
    const databaseAgrees = async () => {
      const now = await this.database.readData();
      let expected = this.#withBrowsers(now);
      for (const change of changes) change(expected, now);
      for (const change of perhaps) {
        const changed = expected.copy();
        change(changed, now);
        if (listDifferences(changed, now).length < listDifferences(expected, now).length)
          expected = changed;
      }
      remainingDifferences = listDifferences(expected, now);
      if (remainingDifferences.length === 0) this.expectedData = expected;
      return remainingDifferences.length === 0;
    };
    await eventually(databaseAgrees, 'the database to agree').catch((cause: unknown) => {
      throw new Error(
        `${this.monitor.currentAction}: the database does not agree:\n${remainingDifferences.join('\n')}\n${String(cause)}`,
        { cause },
      );
    });
  }

  /** The expected data with the browsers that are registered now, since they choose the time. */
  #withBrowsers(now: ExpectedData): ExpectedData {
    const expectedData = this.expectedData.copy();
    for (const [id, { phone }] of expectedData.devices)
      if (!phone && !now.devices.has(id)) expectedData.deleteDevice(id);
    for (const [id, device] of now.devices) if (!device.phone) expectedData.devices.set(id, device);
    return expectedData;
  }

  async signIn(workplace: Workplace, person: number): Promise<void> {
    const { driver } = workplace;
    const username = this.usernameOf(person);
    for (;;) {
      await driver.fill('Username', username);
      await driver.fill('Password', this.passwordOf(person));
      const period = await this.networkFaults.startRandomFault(driver, 'POST /api/auth/login');
      await driver.press('button', 'Sign in');
      const signedIn = await driver.waitUntil(
        (name) =>
          window.pageQueries.text().includes(`Logged in as: ${name}`)
            ? 'yes'
            : window.pageQueries.failure() && 'no',
        `${this.monitor.currentAction}: to sign in as ${username}`,
        username,
      );
      await period?.lift();
      if (signedIn === 'yes') break;
      ok(period, `${username} cannot sign in: ${await driver.query('failure')}`);
    }
    workplace.person = person;
  }

  passwordOf = (person: number): string =>
    this.usernameOf(person) === 'admin' ? ADMIN_PASSWORD : PERSON_PASSWORD;

  async signOut(workplace: Workplace): Promise<void> {
    const { driver } = workplace;
    const period = workplace.receivesPushes
      ? await this.networkFaults.startRandomFault(
          driver,
          'DELETE /api/notifications/unregister-device',
        )
      : undefined;
    const device = workplace.receivesPushes ? await this.deviceAt(workplace) : undefined;
    // Requests for the device's switches may come after the device is gone.
    if (device !== undefined) this.monitor.allowedStatuses.add(404);
    await driver.press('button', 'Logout');
    await driver.waitUntil(
      () => window.pageQueries.outcome()?.kind === 'ended',
      'to be signed out',
    );
    await period?.lift();
    equal(driver.path, '/login');
    if (device !== undefined && !period) {
      const { devices } = await this.database.readData();
      equal(devices.has(device), false, 'the device is unregistered before the session is over');
    }
    workplace.person = undefined;
    await this.waitForDatabase();
  }

  /** The same person signs in again after their session ended, and returns to the same screen. */
  async signInAgain(workplace: Workplace): Promise<void> {
    const { driver } = workplace;
    const person = this.personAt(workplace);
    const next =
      new URL(driver.page.url()).searchParams.get('next') ??
      (workplace.kind === 'office' ? '/admin' : '/');
    await driver.see('Your session has ended. Sign in to continue.');
    await this.signIn(workplace, person);
    equal(driver.path, next, 'after signing in again they are where they were');
  }

  /** The people who may use this kind of workplace and can sign in. */
  listCandidates(kind: Workplace['kind']): number[] {
    return [...this.expectedData.users]
      .filter(
        ([, { role, status }]) => status === 'ACTIVE' && (role === 'ADMIN') === (kind === 'office'),
      )
      .map(([id]) => id);
  }

  /** Checks that the app signs this account out everywhere, then signs someone else in. */
  async expectSignedOut(person: number): Promise<void> {
    for (const workplace of this.workplaces.filter((each) => each.person === person)) {
      this.monitor.allowedStatuses.add(401);
      const { driver } = workplace;
      const isSignedOut = async () => (await driver.query('outcome'))?.kind === 'ended';
      // Any request shows the app that the session ended.
      if (!(await isSignedOut()))
        await driver
          .press('link', workplace.kind === 'office' ? 'Dashboard' : 'Notifications')
          .catch(() => undefined);
      if (!(await isSignedOut()) && workplace.kind === 'office')
        await driver.press('link', 'Users').catch(() => undefined);
      else if (!(await isSignedOut())) await this.interruptNetwork(workplace);
      await driver.waitUntil(
        () => window.pageQueries.outcome()?.kind === 'ended',
        `${this.usernameOf(person)} to be sent to the login form`,
      );
      await driver.see('Your session has ended. Sign in to continue.');
      workplace.person = undefined;
      const next =
        workplace.kind === 'office'
          ? this.random.pick(this.listCandidates('office'))
          : this.random.pick(this.listCandidates('field'));
      await this.signIn(workplace, next);
      await this.waitForDatabase();
    }
  }

  /** Takes the page offline for a moment, so that the app loads its data again. */
  async interruptNetwork({ driver }: Workplace): Promise<void> {
    await driver.page.setOfflineMode(true);
    await driver.waitUntil(() => !navigator.onLine, 'the device to notice that it is offline');
    await driver.page.setOfflineMode(false);
  }

  notificationCount = 0;

  /** Waits until all messages are delivered, and compares the phones with the database. */
  async expectAllDelivered(): Promise<void> {
    await eventually(
      async () => !(await this.database.countDeliveries()).get('pending'),
      'all messages to be delivered',
      30_000,
    );
    deepEqual(this.phones.listDeliveryFaults(), []);
  }
}
