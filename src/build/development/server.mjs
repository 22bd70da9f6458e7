import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** The server promises to end ten seconds after SIGTERM. */
const MAX_SHUTDOWN_MS = 12_000;
/**
 * Node loads this before the server, so that the server ends with this process, even after a kill.
 */
const FOLLOW_PARENT_SCRIPT = new URL('./follow-parent.mjs', import.meta.url);

/** The server of `npm run dev`: one process at a time. */
export class DevServer {
  #out;
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  #stopped = false;

  /** @param {string} out where the builds are */
  constructor(out) {
    this.#out = out;
    process.on('exit', () => this.#child?.kill('SIGKILL'));
  }

  runs() {
    return this.#child !== undefined;
  }

  /** Waits for the previous one to end. */
  async restart() {
    await this.#end();
    if (this.#stopped) return;
    // The server has its own process group: otherwise Ctrl+C would reach the server twice.
    const child = spawn(
      process.execPath,
      [
        '--enable-source-maps',
        '--import',
        FOLLOW_PARENT_SCRIPT.href,
        path.join(this.#out, 'server/main.js'),
      ],
      {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        detached: true,
        // The server reads the link, so it serves each new build without a restart.
        env: { STATIC_DIR: path.join(this.#out, 'app'), ...process.env },
      },
    );
    this.#child = child;
    child.once('error', (error) => this.#ended(child, error.message));
    child.once('exit', (code, signal) => this.#ended(child, signal ?? `exit code ${code}`));
  }

  async stop() {
    this.#stopped = true;
    await this.#end();
  }

  /**
   * @param {import('node:child_process').ChildProcess} child
   * @param {string} reason
   */
  #ended(child, reason) {
    if (this.#child !== child) return;
    this.#child = undefined;
    console.error(`The server exited (${reason}). It restarts after the next change.`);
  }

  async #end() {
    const child = this.#child;
    if (!child) return;
    this.#child = undefined;
    const limit = setTimeout(() => child.kill('SIGKILL'), MAX_SHUTDOWN_MS);
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
    clearTimeout(limit);
  }
}
