/**
 * Encrypts in a thread, because encryption is nearly half of a push's cost. Batches that are not
 * full are encrypted in place, so few pushes start no thread.
 */
import { Worker } from 'node:worker_threads';
import { describeError, type Log } from '../../lib/log';
import { encryptAll, type PackedBodies, type Encryption } from './encryption';

/** The bundled code of `encryption-thread.ts`, set by the build. */
declare const ENCRYPTION_THREAD: string;

export interface Encryptor {
  /** Resolves with the body, or undefined for invalid keys. Never rejects. */
  encrypt(encryption: Encryption): Promise<Buffer | undefined>;
  /** Ends the thread. Pending encryptions never resolve. */
  close(): Promise<void>;
}

interface EncryptionJob extends Encryption {
  done: (body: Buffer | undefined) => void;
}

/** Takes the thread two milliseconds, and makes the cost of a message negligible. */
const PUSHES_PER_TURN = 16;
/** Small, so that garbage is collected early. */
const MEGABYTES = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

const startThread = (): Worker =>
  new Worker(ENCRYPTION_THREAD, { eval: true, name: 'encryption', resourceLimits: MEGABYTES });

/** @param start for tests */
export function createEncryptor(log: Log, start = startThread): Encryptor {
  let batch: EncryptionJob[] = [];
  /** Batches in the thread, which replies in order. */
  let handedOver: EncryptionJob[][] = [];
  let thread: Worker | undefined;
  let isLost = false;
  let closed = false;

  function postToThread(jobs: EncryptionJob[]): void {
    if (isLost) return encryptHere(jobs);
    handedOver.push(jobs);
    try {
      thread ??= startAndWatchThread();
      thread.postMessage(jobs.map(({ text, keys }) => ({ text, keys })));
    } catch (error) {
      handleThreadLoss(error);
    }
  }

  function startAndWatchThread(): Worker {
    const newThread = start();
    newThread.on('message', (bodies: PackedBodies) =>
      deliverBodies(handedOver.shift() ?? [], bodies),
    );
    newThread.on('error', handleThreadLoss);
    newThread.on('exit', (code) =>
      handleThreadLoss(new Error(`The encryption thread exited with code ${code}.`)),
    );
    return newThread;
  }

  /** The same cause would end the next thread, so encryption continues in this one. */
  function handleThreadLoss(reason: unknown): void {
    if (isLost || closed) return;
    isLost = true;
    log.error('encryption thread lost, encrypting without it', describeError(reason));
    const jobs = handedOver.flat();
    handedOver = [];
    encryptHere(jobs);
  }

  function encryptRest(): void {
    const jobs = batch;
    batch = [];
    encryptHere(jobs);
  }

  return {
    encrypt: (encryption) =>
      new Promise((resolve) => {
        batch.push({ ...encryption, done: resolve });
        // The microtask runs once the caller has started all its pushes.
        if (batch.length === 1) queueMicrotask(encryptRest);
        if (batch.length < PUSHES_PER_TURN) return;
        postToThread(batch);
        batch = [];
      }),
    async close() {
      closed = true;
      await thread?.terminate();
    },
  };
}

function encryptHere(jobs: EncryptionJob[]): void {
  deliverBodies(jobs, encryptAll(jobs));
}

function deliverBodies(jobs: EncryptionJob[], { bytes, bodyEnds }: PackedBodies): void {
  let start = 0;
  for (const [index, { done }] of jobs.entries()) {
    const end = bodyEnds[index] ?? start;
    done(end > start ? Buffer.from(bytes.buffer, start, end - start) : undefined);
    start = end;
  }
}
