/**
 * A day's use by a seed, on a failing network. At every step screens, database and the script's own
 * records must agree.
 *
 *   node test/e2e/run.mjs simulated-day: --actions 2000 --seed 7
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { ACTIONS } from '../../../simulation/actions';
import type { SimulatedDay, Workplace } from '../../../simulation/day';
import { RandomChoices } from '../../../simulation/random';
import { checkSettings, signInAtWorkplace } from '../../../simulation/actions/field';
import {
  goToScreen,
  readList,
  waitForScreen,
  NAVIGATION_SCREENS,
  type NavigationScreen,
} from '../../../simulation/actions/lists';
import { sendUntilAllReceive } from '../../../simulation/actions/notifications';
import { startDay } from '../../../simulation/start-day';
import { measurePage, type PageSize } from '../../../simulation/page-monitor';
import type { CleanUp, Story } from '../../parts/harness';
import { printInStory } from '../../parts/page-records';

const chosen = { actions: 60, seed: 1 };
export function chooseActions({
  actions,
  seed,
}: {
  actions: string | undefined;
  seed: string | undefined;
}): void {
  Object.assign(chosen, actions && { actions: Number(actions) }, seed && { seed: Number(seed) });
}
/** Prints every action with its time. */
const printsActions = Boolean(process.env.PRINT_ACTIONS);
/** The growth allowed on one screen after the first part of the day. */
const MAX_GROWTH = { bytes: 1_000_000, nodes: 200, listeners: 30 };

async function simulateDay(cleanUp: CleanUp): Promise<void> {
  const { actions, seed } = chosen;
  const random = new RandomChoices(seed);
  const day = await startDay(random, Math.floor(actions / 500), cleanUp);
  const doneActions: string[] = [];
  const counts = new Map<string, number>();
  try {
    await visitEveryScreen(day);
    let early: PageSize[] = [];
    for (let number = 1; number <= actions; number++) {
      const name = await actOnce(day, number);
      doneActions.push(`${number} ${day.monitor.currentAction}`);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      if (number === Math.round(actions / 4)) early = await measurePages(day);
    }
    await checkEverything(day);
    await day.expectAllDelivered();
    const grown = growthOf(early, await measurePages(day));
    const { expectedData, networkFaults, monitor } = day;
    printInStory(
      `  seed ${seed}, ${actions} actions: ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}`,
    );
    printInStory(
      `  network faults: ${[...networkFaults.faultCounts].map(([name, count]) => `${name} ${count}`).join(', ')}`,
    );
    printInStory(
      `  in the end ${expectedData.users.size} users, ${expectedData.topics.size} topics, ${expectedData.subscriptions.size} subscriptions, ${expectedData.messages.size} messages to ${[...(await day.database.countDeliveries())].map(([state, count]) => `${count} ${state}`).join(', ')}, ${day.notificationCount} notifications seen`,
    );
    printInStory(
      `  grown: ${grown.map(({ bytes, nodes, listeners }) => `${(bytes / 1000).toFixed()} kB, ${nodes} nodes, ${listeners} listeners`).join('; ')}`,
    );
    monitor.readLog();
    deepEqual(monitor.faults, []);
    for (const each of grown)
      ok(
        each.bytes <= MAX_GROWTH.bytes &&
          each.nodes <= MAX_GROWTH.nodes &&
          each.listeners <= MAX_GROWTH.listeners,
        JSON.stringify(each),
      );
  } catch (error) {
    const last = [
      ...doneActions.slice(-8),
      `${doneActions.length + 1} ${day.monitor.currentAction}`,
    ].join('\n  ');
    throw new Error(
      `--actions ${actions} --seed ${seed}: ${(error as Error).message}\nlast of all:\n  ${last}\nits push service saw last:\n  ${day.pushes.slice(-6).join('\n  ')}\nfaults so far:\n  ${day.monitor.faults.join('\n  ')}`,
      { cause: error },
    );
  }
}

/** Everyone sees each screen once: code and caches that stay. */
async function visitEveryScreen(day: SimulatedDay): Promise<void> {
  day.networkFaults.isPaused = true;
  for (const workplace of day.workplaces) {
    day.monitor.currentAction = 'the day begins';
    if (workplace.kind === 'field')
      await signInAtWorkplace(day, workplace, day.random.pick(day.listCandidates('field')));
    else {
      await day.signIn(workplace, day.random.pick(day.listCandidates('office')));
      for (const screen of Object.keys(NAVIGATION_SCREENS) as NavigationScreen[])
        await arriveOrGo(day, workplace, screen);
    }
  }
  await sendUntilAllReceive(day);
  day.networkFaults.isPaused = false;
}

const arriveOrGo = (day: SimulatedDay, workplace: Workplace, screen: NavigationScreen) =>
  workplace.driver.path === NAVIGATION_SCREENS[screen]
    ? waitForScreen(day, workplace, screen)
    : goToScreen(day, workplace, screen);

async function actOnce(day: SimulatedDay, number: number): Promise<string> {
  for (;;) {
    const workplace = day.random.pick(day.workplaces);
    const { name, act } = day.random.pickByWeight(ACTIONS[workplace.kind]);
    day.monitor.allowedStatuses.clear();
    day.monitor.currentAction = `${number}: ${day.usernameOf(workplace.person)} at ${workplace.kind} ${day.workplaces.indexOf(workplace)} ${name}`;
    const startedAt = performance.now();
    const acted = await act(day, workplace);
    if (printsActions)
      console.log(
        `  ${day.monitor.currentAction} ${acted === false ? '(not possible) ' : ''}${Math.round(performance.now() - startedAt)} ms`,
      );
    if (acted !== false) return name;
  }
}

/** On the login form, which is the same for everyone. */
async function measurePages(day: SimulatedDay): Promise<PageSize[]> {
  day.networkFaults.isPaused = true;
  const sizes: PageSize[] = [];
  for (const workplace of day.workplaces.filter(({ keepsPage: long }) => long)) {
    const person = day.personAt(workplace);
    await day.signOut(workplace);
    sizes.push(await measurePage(workplace.driver.page));
    await (workplace.kind === 'field'
      ? signInAtWorkplace(day, workplace, person)
      : day.signIn(workplace, person));
  }
  day.networkFaults.isPaused = false;
  return sizes;
}

function growthOf(early: PageSize[], late: PageSize[]): PageSize[] {
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
async function checkEverything(day: SimulatedDay): Promise<void> {
  day.networkFaults.isPaused = true;
  day.monitor.currentAction = 'the day ends';
  day.monitor.allowedStatuses.clear();
  const workplace = day.workplaces[0]!;
  const { topics, users } = day.expectedData;
  const titles = [...topics.values()].map(({ title, description }) => `${title}|${description}`);
  deepEqual(
    (await readAll(day, workplace, 'Topics'))
      .map(([title, description]) => `${title}|${description}`)
      .sort(),
    titles.sort(),
  );
  const people = [...users].map(([id, { username, email, role, status }]) =>
    [id, username, email ?? '-', role, status].join('|').toLowerCase(),
  );
  deepEqual(
    (await readAll(day, workplace, 'Users'))
      .map((cells) => cells.slice(0, 5).join('|').toLowerCase())
      .sort(),
    people.sort(),
  );
  for (const field of day.workplaces.filter(({ kind }) => kind === 'field')) {
    await day.signOut(field);
    await signInAtWorkplace(day, field, day.random.pick(day.listCandidates('field')));
    await checkSettings(day, field);
  }
  day.networkFaults.isPaused = false;
}

async function readAll(
  day: SimulatedDay,
  workplace: Workplace,
  screen: 'Topics' | 'Users',
): Promise<string[][]> {
  if (workplace.driver.path !== NAVIGATION_SCREENS.Dashboard)
    await goToScreen(day, workplace, 'Dashboard');
  await goToScreen(day, workplace, screen);
  const rows = await readList(day, workplace);
  const size = screen === 'Topics' ? day.expectedData.topics.size : day.expectedData.users.size;
  while (rows.length < size) {
    await workplace.driver.press('button', 'Next');
    const first = rows.length + 1;
    await workplace.driver.waitUntil(
      (number) =>
        window.pageQueries.list().status.startsWith(`${number}–`) &&
        !window.pageQueries.list().busy,
      'the next page',
      first,
    );
    rows.push(...(await readList(day, workplace)));
  }
  return rows;
}

export const simulatedDayStories: Story[] = [
  {
    name: `breaks and loses nothing in a simulated day`,
    run: simulateDay,
    get limit() {
      return chosen.actions * 10_000;
    },
  },
];
