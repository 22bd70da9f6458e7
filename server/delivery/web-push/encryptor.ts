/**
 * Encrypts in a thread of its own, so that the server goes on answering and a second core is used:
 * nearly half of what a push costs is encryption. Few pushes at a time are encrypted at once, where
 * they are: for them no thread is started.
 */
import { Worker } from 'node:worker_threads';
import { describeError, type Log } from '../../lib/log';
import { encryptAll, type Bodies, type Encryption } from './encryption';

/**
 * The code of `encryption-thread.ts`, set by the build: bundled into the server it has no file that
 * could be missing.
 */
declare const ENCRYPTION_THREAD: string;

export interface Encryptor {
  /**
   * Resolves with the request body, or undefined if the keys are none. Never rejects, whatever
   * becomes of the thread.
   */
  encrypt(encryption: Encryption): Promise<Buffer | undefined>;
  /** Ends the thread. What it had not answered stays unanswered. */
  close(): Promise<void>;
}

interface Job extends Encryption {
  done: (body: Buffer | undefined) => void;
}

/**
 * As many fit into a message each way without its cost being felt, and take the thread two
 * milliseconds.
 */
const BATCH = 16;
/** It keeps nothing: small, so that its garbage is collected early. */
const MEGABYTES = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

const startThread = (): Worker =>
  new Worker(ENCRYPTION_THREAD, { eval: true, name: 'encryption', resourceLimits: MEGABYTES });

/** @param start given only by tests */
export function createEncryptor(log: Log, start = startThread): Encryptor {
  let gathered: Job[] = [];
  /** What the thread has, oldest first: it answers in that order. */
  let handedOver: Job[][] = [];
  let thread: Worker | undefined;
  let isLost = false;
  let closed = false;

  function handOver(jobs: Job[]): void {
    if (isLost) return encryptHere(jobs);
    handedOver.push(jobs);
    try {
      thread ??= begin();
      thread.postMessage(jobs.map(({ text, keys }) => ({ text, keys })));
    } catch (error) {
      lose(error);
    }
  }

  function begin(): Worker {
    const begun = start();
    begun.on('message', (bodies: Bodies) => finish(handedOver.shift() ?? [], bodies));
    begun.on('error', lose);
    begun.on('exit', (code) => lose(new Error(`It ended with ${code}`)));
    return begun;
  }

  /**
   * It is not replaced: what ended it would end the next one, and all work is done without it, only
   * slower.
   */
  function lose(reason: unknown): void {
    if (isLost || closed) return;
    isLost = true;
    log.error('the encryption thread is lost', describeError(reason));
    const jobs = handedOver.flat();
    handedOver = [];
    encryptHere(jobs);
  }

  function encryptRest(): void {
    const jobs = gathered;
    gathered = [];
    encryptHere(jobs);
  }

  return {
    encrypt: (encryption) =>
      new Promise((done) => {
        gathered.push({ ...encryption, done });
        // A caller begins many pushes in one go: at its end all of them are gathered.
        if (gathered.length === 1) queueMicrotask(encryptRest);
        if (gathered.length < BATCH) return;
        handOver(gathered);
        gathered = [];
      }),
    async close() {
      closed = true;
      await thread?.terminate();
    },
  };
}

function encryptHere(jobs: Job[]): void {
  finish(jobs, encryptAll(jobs));
}

function finish(jobs: Job[], { bytes, ends }: Bodies): void {
  let start = 0;
  for (const [index, { done }] of jobs.entries()) {
    const end = ends[index] ?? start;
    done(end > start ? Buffer.from(bytes.buffer, start, end - start) : undefined);
    start = end;
  }
}
