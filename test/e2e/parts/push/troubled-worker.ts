/**
 * The app with a worker whose system refuses notifications, or whose clock is ahead, when a story
 * says so: nothing of the drivers reaches Firefox' workers.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtFolder, type BuildName } from '../builds';
import type { CleanUp } from '../harness';
import type { Person } from '../person';

export interface WorkerTrouble {
  /** The system takes no notification. */
  refuses?: boolean;
  /** Milliseconds by which the worker's time of day is ahead. */
  ahead?: number;
}

const WORKER = 'firebase-messaging-sw.js';

/** Runs in the worker, before anything of it does. */
function listenForTrouble(): void {
  let trouble: WorkerTrouble = {};
  addEventListener('message', ({ data, ports }) => {
    if (!data?.trouble) return;
    trouble = data.trouble;
    ports[0]?.postMessage('done');
  });
  const { prototype } = ServiceWorkerRegistration;
  const { showNotification: show } = prototype;
  prototype.showNotification = async function (...given) {
    if (trouble.refuses) throw new TypeError('The system takes no notification');
    return show.apply(this, given);
  };
  const System = Date;
  self.Date = class extends System {
    constructor(...given: unknown[]) {
      super(...((given.length ? given : [self.Date.now()]) as [number]));
    }
    static override now() {
      return System.now() + (trouble.ahead ?? 0);
    }
  } as DateConstructor;
}

/** A folder with the app of a build, whose worker can be troubled. */
export function troubledApp(build: BuildName, cleanUp: CleanUp): string {
  const folder = mkdtempSync(join(tmpdir(), 'fieldbell-troubled-'));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(builtFolder(build), 'app'), folder, { recursive: true });
  const file = join(folder, WORKER);
  writeFileSync(file, `(${listenForTrouble})();${readFileSync(file, 'utf8')}`);
  for (const suffix of ['.br', '.gz']) rmSync(file + suffix);
  return folder;
}

/** From now on, until it is ended: to be told at once before a push. */
export const trouble = ({ page }: Person, what: WorkerTrouble): Promise<unknown> =>
  page.evaluate(async (told) => {
    const { active } = await navigator.serviceWorker.ready;
    const { port1, port2 } = new MessageChannel();
    const done = new Promise((resolve) => (port1.onmessage = resolve));
    active?.postMessage({ trouble: told }, [port2]);
    await done;
  }, what);
