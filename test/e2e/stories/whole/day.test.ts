/**
 * A day's use by a seed, on a failing network. At every step screens, database and the script's own
 * records must agree.
 *
 *   node test/e2e/run.mjs day: --actions 2000 --seed 7
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { ACTIONS } from '../../../simulation/actions';
import type { Day, Seat } from '../../../simulation/day';
import { Dice } from '../../../simulation/random';
import { seeSettings, sitDown } from '../../../simulation/actions/field';
import { go, listed, arrive, SCREENS, type Screen } from '../../../simulation/actions/lists';
import { callTheRoll } from '../../../simulation/actions/notifications';
import { setScene } from '../../../simulation/scene';
import { weigh, type Size } from '../../../simulation/watch';
import type { CleanUp, Story } from '../../parts/harness';
import { say } from '../../parts/witness';

const chosen = { actions: 60, seed: 1 };
export function choose({
  actions,
  seed,
}: {
  actions: string | undefined;
  seed: string | undefined;
}): void {
  Object.assign(chosen, actions && { actions: Number(actions) }, seed && { seed: Number(seed) });
}
/** Prints every action with its time. */
const talks = Boolean(process.env.TALK);
/** The growth allowed on one screen after the first part of the day. */
const GROWTH = { bytes: 1_000_000, nodes: 200, listeners: 30 };

async function liveADay(cleanUp: CleanUp): Promise<void> {
  const { actions, seed } = chosen;
  const dice = new Dice(seed);
  const day = await setScene(dice, Math.floor(actions / 500), cleanUp);
  const done: string[] = [];
  const counts = new Map<string, number>();
  try {
    await begin(day);
    let early: Size[] = [];
    for (let number = 1; number <= actions; number++) {
      const name = await doSomething(day, number);
      done.push(`${number} ${day.watch.doing}`);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      if (number === Math.round(actions / 4)) early = await weighAll(day);
    }
    await lookAtEverything(day);
    await day.allDelivered();
    const grown = compare(early, await weighAll(day));
    const { books, weather, watch } = day;
    say(
      `  seed ${seed}, ${actions} actions: ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}`,
    );
    say(
      `  bad weather: ${[...weather.seen].map(([name, count]) => `${name} ${count}`).join(', ')}`,
    );
    say(
      `  in the end ${books.users.size} users, ${books.topics.size} topics, ${books.subscriptions.size} subscriptions, ${books.messages.size} messages to ${[...(await day.database.deliveries())].map(([state, count]) => `${count} ${state}`).join(', ')}, ${day.notifications} notifications seen`,
    );
    say(
      `  grown: ${grown.map(({ bytes, nodes, listeners }) => `${(bytes / 1000).toFixed()} kB, ${nodes} nodes, ${listeners} listeners`).join('; ')}`,
    );
    watch.readLog();
    deepEqual(watch.faults, []);
    for (const each of grown)
      ok(
        each.bytes <= GROWTH.bytes &&
          each.nodes <= GROWTH.nodes &&
          each.listeners <= GROWTH.listeners,
        JSON.stringify(each),
      );
  } catch (error) {
    const last = [...done.slice(-8), `${done.length + 1} ${day.watch.doing}`].join('\n  ');
    throw new Error(
      `--actions ${actions} --seed ${seed}: ${(error as Error).message}\nlast of all:\n  ${last}\nits push service saw last:\n  ${day.pushes.slice(-6).join('\n  ')}\nfaults so far:\n  ${day.watch.faults.join('\n  ')}`,
      { cause: error },
    );
  }
}

/** Everyone sees each screen once: code and caches that stay. */
async function begin(day: Day): Promise<void> {
  day.weather.calm = true;
  for (const seat of day.seats) {
    day.watch.doing = 'the day begins';
    if (seat.kind === 'field') await sitDown(day, seat, day.dice.pick(day.candidates('field')));
    else {
      await day.signIn(seat, day.dice.pick(day.candidates('office')));
      for (const screen of Object.keys(SCREENS) as Screen[]) await arriveOrGo(day, seat, screen);
    }
  }
  await callTheRoll(day);
  day.weather.calm = false;
}

const arriveOrGo = (day: Day, seat: Seat, screen: Screen) =>
  seat.hand.path === SCREENS[screen] ? arrive(day, seat, screen) : go(day, seat, screen);

async function doSomething(day: Day, number: number): Promise<string> {
  for (;;) {
    const seat = day.dice.pick(day.seats);
    const { name, act } = day.dice.weigh(ACTIONS[seat.kind]);
    day.watch.allowed.clear();
    day.watch.doing = `${number}: ${day.usernameOf(seat.person)} at ${seat.kind} ${day.seats.indexOf(seat)} ${name}`;
    const began = performance.now();
    const acted = await act(day, seat);
    if (talks)
      console.log(
        `  ${day.watch.doing} ${acted === false ? '(not possible) ' : ''}${Math.round(performance.now() - began)} ms`,
      );
    if (acted !== false) return name;
  }
}

/** On the login form, which is the same for everyone. */
async function weighAll(day: Day): Promise<Size[]> {
  day.weather.calm = true;
  const sizes: Size[] = [];
  for (const seat of day.seats.filter(({ long }) => long)) {
    const person = day.sitter(seat);
    await day.signOut(seat);
    sizes.push(await weigh(seat.hand.page));
    await (seat.kind === 'field' ? sitDown(day, seat, person) : day.signIn(seat, person));
  }
  day.weather.calm = false;
  return sizes;
}

function compare(early: Size[], late: Size[]): Size[] {
  return late.map((size, index) => {
    const before = early[index]!;
    equal(size.since, before.since, 'the page is still the same');
    return {
      since: 0,
      bytes: size.bytes - before.bytes,
      nodes: size.nodes - before.nodes,
      listeners: size.listeners - before.listeners,
    };
  });
}

/** Compares both lists and every open settings screen with the records. */
async function lookAtEverything(day: Day): Promise<void> {
  day.weather.calm = true;
  day.watch.doing = 'the day ends';
  day.watch.allowed.clear();
  const seat = day.seats[0]!;
  const { topics, users } = day.books;
  const titles = [...topics.values()].map(({ title, description }) => `${title}|${description}`);
  deepEqual(
    (await readAll(day, seat, 'Topics'))
      .map(([title, description]) => `${title}|${description}`)
      .sort(),
    titles.sort(),
  );
  const people = [...users].map(([id, { username, email, role, status }]) =>
    [id, username, email ?? '-', role, status].join('|').toLowerCase(),
  );
  deepEqual(
    (await readAll(day, seat, 'Users'))
      .map((cells) => cells.slice(0, 5).join('|').toLowerCase())
      .sort(),
    people.sort(),
  );
  for (const field of day.seats.filter(({ kind }) => kind === 'field')) {
    await day.signOut(field);
    await sitDown(day, field, day.dice.pick(day.candidates('field')));
    await seeSettings(day, field);
  }
  day.weather.calm = false;
}

async function readAll(day: Day, seat: Seat, screen: 'Topics' | 'Users'): Promise<string[][]> {
  if (seat.hand.path !== SCREENS.Dashboard) await go(day, seat, 'Dashboard');
  await go(day, seat, screen);
  const rows = await listed(day, seat);
  const size = screen === 'Topics' ? day.books.topics.size : day.books.users.size;
  while (rows.length < size) {
    await seat.hand.press('button', 'Next');
    const first = rows.length + 1;
    await seat.hand.until(
      (number) => window.eyes.list().status.startsWith(`${number}–`) && !window.eyes.list().busy,
      'the next page',
      first,
    );
    rows.push(...(await listed(day, seat)));
  }
  return rows;
}

export const stories: Story[] = [
  {
    name: `breaks nothing, loses nothing and leaves nothing behind in a day’s use`,
    run: liveADay,
    get limit() {
      return chosen.actions * 10_000;
    },
  },
];
