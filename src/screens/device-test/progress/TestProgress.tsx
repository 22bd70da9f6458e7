import type { TestProgressState } from '../../../state/reach/test-progress';
import { isSleepTest } from '../../../state/reach/sleep-test';
import { hasFailedFinally, isTestSent, isTestOver } from '../../../state/reach/test-states';
import { lazy } from '../../../ui/lazy';
import { StageList } from './StageList';
import type { DeliveryProblem } from '../advice/advice';
import { PhoneStages, ProgressStatus } from './PhoneStages';
import { TestAgain, type DeviceTestActions } from '../StartTest';
import { asksIfRang, currentTitle, sendWindowText, sleepSteps, testSteps } from './test-steps';
import { getTestVerdict } from '../test-verdict';
import { useState } from 'react';
import { errorMessage } from '../../../api/error';
import { confirmSound, SOUND_ANSWER_FAILED } from '../../../state/reach/test-progress';
import { notify } from '../../../ui/notices';

/** Loaded only after a failure. */
const Help = lazy(() => import('../advice/TestHelp').then((module) => module.TestHelp));

type ShownTest = Extract<TestProgressState, { kind: 'test' }>;

/** A test whose push was sent. */
export function TestProgress({ stages, test, polling, ...actions }: ShownTest & DeviceTestActions) {
  const waitingTest = { test, polling };
  const sleeps = isSleepTest(test);
  if (sleeps && !isTestSent(test) && !isTestOver(test)) return <Asleep {...waitingTest} />;
  const steps = sleeps ? sleepSteps(waitingTest) : testSteps(waitingTest);
  const verdict = getTestVerdict(waitingTest);
  const problem = findProblem(waitingTest);
  return (
    <>
      <ProgressStatus
        verdict={verdict}
        actionText="The test is on its way. Keep the sound on."
        stage={currentTitle(steps)}
      />
      {asksIfRang(test) && <DidItRing />}
      <PhoneStages stages={stages} />
      <StageList
        panel
        label={sleeps ? 'Progress of the sleep test' : 'Progress of the test'}
        steps={steps}
      />
      {problem && <Help key={problem} problem={problem} />}
      <TestAgain {...actions} isBusy={!verdict} isMain={verdict?.tone === 'bad'} />
    </>
  );
}

/** Shows no progress: polling would wake the phone. */
const Asleep = (progress: Pick<ShownTest, 'test' | 'polling'>) => (
  <>
    <ProgressStatus
      verdict={{
        title: 'Lock the phone and leave it for 15 minutes.',
        text: `We’ll send the test between ${sendWindowText(progress.test)}. You can close the app.`,
      }}
    />
    <StageList panel label="Progress of the sleep test" steps={sleepSteps(progress)} />
    <p className="muted">
      When you unlock the phone, open Fieldbell. You’ll see the result here. Your administrator sees
      it too.
    </p>
  </>
);

/** The problem to advise on; undefined if the push service or the server is at fault. */
function findProblem({
  test,
  polling,
}: Pick<ShownTest, 'test' | 'polling'>): DeliveryProblem | undefined {
  const { accepted, received, displayed } = test.stages;
  if (displayed !== null) {
    if (test.failure?.stage === 'heard') return 'silent';
    return test.lateBy === null ? undefined : 'late';
  }
  if (hasFailedFinally(test)) return test.failure?.stage === 'displayed' ? 'hidden' : undefined;
  if (polling.gaveUp === undefined || polling.failure) return undefined;
  return received !== null ? 'hidden' : accepted !== null ? 'missing' : undefined;
}

/**
 * The question stands above the test's progress: only the person knows whether the phone made a
 * sound.
 */
function DidItRing() {
  const [busy, setBusy] = useState(false);
  function answerSound(heard: boolean): void {
    setBusy(true);
    confirmSound(heard)
      .catch((thrown: unknown) => notify(errorMessage(thrown, SOUND_ANSWER_FAILED), 'bad'))
      .finally(() => setBusy(false));
  }
  return (
    <section aria-labelledby="ring">
      <h2 id="ring">Did it ring?</h2>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would want a legend */}
      <div className="answers" role="group" aria-labelledby="ring">
        <button type="button" disabled={busy} onClick={() => answerSound(true)}>
          Yes
        </button>
        <button type="button" className="plain" disabled={busy} onClick={() => answerSound(false)}>
          No sound
        </button>
      </div>
    </section>
  );
}
