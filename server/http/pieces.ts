/** Answers that are made while they are read, so that they may be long. */
import { nextTurn } from '../delivery/queue/sleep';

/** What such an answer needs to go on behind its first piece. */
export interface Following {
  /** Asks once more whether the one who reads may: rejects if not. */
  ask(): Promise<unknown>;
  /** Hears why an answer ended too early: its reader cannot be told any more. */
  report(error: unknown): void;
}

/**
 * A body of these pieces: each is made when its reader has taken the one before, and may still read
 * it. The first is made before the answer begins, as long as a failure can still be told.
 */
export async function inPieces(
  pieces: AsyncIterator<string>,
  { ask, report }: Following,
  what = 'The answer',
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  let next: IteratorResult<string> | undefined = await pieces.next();
  const read = async (): Promise<IteratorResult<string>> => {
    // The embedded engine answers at once, and a quick reader would leave no turn to others.
    await nextTurn();
    await ask();
    return pieces.next();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = next ?? (await read());
          next = undefined;
          if (done) controller.close();
          else controller.enqueue(encoder.encode(value));
        } catch (error) {
          report(error);
          // Cuts the connection, so that half of it is not taken for the whole.
          controller.error(new Error(`${what} broke off.`));
        }
      },
      async cancel() {
        await pieces.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
