/** The loop that writes behind the answers: messages in chunks, and what happens to them later. */
import { nextDueAt } from '../../db/jobs/jobs';
import { createPause, nextTurn } from '../../delivery/queue/sleep';
import { describeError } from '../../lib/log';
import type { Services } from '../../services';
import type { Turn } from '../../turns';
import { escalations } from '../escalating/turn';
import { quietEnds } from '../holding/end';
import { chunks } from './chunks';

/** In this order, again and again: none waits for more than a piece of each of the others. */
const turns: readonly Turn[] = [chunks, escalations, quietEnds];
const KINDS = turns.flatMap(({ kinds }) => kinds);
/** How soon work is found that another process left, or was asked for. */
const POLL_MILLISECONDS = 2000;

export interface Writing {
  /** There may be something to write: look now. */
  wake(): void;
  /** Takes one piece of each kind of work. @returns whether there was anything due */
  writeSome(): Promise<boolean>;
  /** Takes all steps that are due. */
  writeDue(): Promise<void>;
  /** Looks for work until it is stopped. @returns how to stop it: after the step under way */
  start(): () => Promise<void>;
}

/** @param services read when needed, since they hold what this returns */
export function createWriting(services: () => Services): Writing {
  const pause = createPause();

  async function writeSome(): Promise<boolean> {
    let isAny = false;
    for (const turn of turns) isAny = (await turn.take(services())) || isAny;
    return isAny;
  }

  async function writeDue(isStopping = () => false): Promise<void> {
    // On the embedded engine a chunk is one piece of work: between two, everything else is served.
    while (!isStopping() && (await writeSome())) await nextTurn();
  }

  return {
    wake: () => pause.end(),
    writeSome,
    writeDue: () => writeDue(),
    start() {
      let stopping = false;
      const keepWriting = async (): Promise<void> => {
        while (!stopping) {
          const { db, now, log } = services();
          let rest = POLL_MILLISECONDS;
          try {
            // Asked before anything is claimed, which is a write.
            const due = await nextDueAt(KINDS, db, now());
            if (due !== undefined && due <= now()) await writeDue(() => stopping);
            else if (due !== undefined) rest = Math.min(rest, due - now());
          } catch (error) {
            log.error('messages cannot be written', describeError(error));
          }
          if (!stopping) await pause.for(rest);
        }
      };
      const stopped = keepWriting();
      return async () => {
        stopping = true;
        pause.end();
        await stopped;
      };
    },
  };
}
