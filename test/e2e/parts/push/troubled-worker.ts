/**
 * An app whose worker may show no notifications, or has a clock ahead. No driver reaches Firefox'
 * workers, so the worker itself listens.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtFolder, type BuildName } from '../builds';
import type { CleanUp } from '../harness';
import type { Person } from '../person';

export interface WorkerTrouble {
  refuses?: boolean;
  /** Milliseconds by which the worker's clock is ahead. */
  ahead?: number;
}

const WORKER = 'firebase-messaging-sw.js';

/** Runs in the worker, before its own code. */
function listenForTrouble(): void {
  let currentTrouble: WorkerTrouble = {};
  addEventListener('message', ({ data, ports }) => {
    if (!data?.trouble) return;
    currentTrouble = data.trouble;
    ports[0]?.postMessage('done');
  });
  const { prototype } = ServiceWorkerRegistration;
  const { showNotification: show } = prototype;
  prototype.showNotification = async function (...originalArguments) {
    if (currentTrouble.refuses) throw new TypeError('The system takes no notification');
    return show.apply(this, originalArguments);
  };
  const System = Date;
  self.Date = class extends System {
    constructor(...originalArguments: unknown[]) {
      super(...((originalArguments.length ? originalArguments : [self.Date.now()]) as [number]));
    }
    static override now() {
      return System.now() + (currentTrouble.ahead ?? 0);
    }
  } as DateConstructor;
}

export const serveTroubledApp = (build: BuildName, cleanUp: CleanUp): string =>
  serveAppWithWorker(build, listenForTrouble, cleanUp);

/**
 * A copy of the built app for `STATIC_DIR`.
 * @param first runs in the worker, before its own code; it is copied as text
 */
export function serveAppWithWorker(build: BuildName, first: () => void, cleanUp: CleanUp): string {
  const folder = mkdtempSync(join(tmpdir(), 'fieldbell-worker-'));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(builtFolder(build), 'app'), folder, { recursive: true });
  const file = join(folder, WORKER);
  writeFileSync(file, `(${first})();${readFileSync(file, 'utf8')}`);
  for (const suffix of ['.br', '.gz']) rmSync(file + suffix);
  return folder;
}

/** The trouble lasts until the worker ends, so set it right before a push. */
export const causeTrouble = ({ page }: Person, what: WorkerTrouble): Promise<unknown> =>
  page.evaluate(async (told) => {
    const { active } = await navigator.serviceWorker.ready;
    const { port1, port2 } = new MessageChannel();
    const done = new Promise((resolve) => (port1.onmessage = resolve));
    active?.postMessage({ trouble: told }, [port2]);
    await done;
  }, what);
