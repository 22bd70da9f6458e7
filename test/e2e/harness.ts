/** A story is one test that takes seconds: it is run alone, timed, and cleans up after itself however it ends. */

export type CleanUp = (step: () => Promise<unknown> | unknown) => void;

export interface Story {
  name: string;
  /** @param cleanUp what to do at the end, last first, failed or not */
  run(cleanUp: CleanUp): Promise<void>;
  /** Why it is not run; such a story never counts as passed. */
  skipped?: string | undefined;
}

/** Runs the story and resolves with what went wrong, if anything did. */
export async function tell(story: Story): Promise<unknown> {
  const steps: Parameters<CleanUp>[0][] = [];
  let fault: unknown;
  try {
    await story.run((step) => steps.unshift(step));
  } catch (error) {
    fault = error ?? new Error('failed');
  }
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      fault ??= error;
    }
  }
  return fault;
}
