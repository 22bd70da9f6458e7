import type { DeviceStage } from '../../../state/reach/device-checks';
import { lazy } from '../../../ui/lazy';
import { StageList } from './StageList';
import { TestAgain, type DeviceTestActions } from '../StartTest';
import { phoneSteps, phoneRemedy } from './phone-steps';
import { currentTitle } from './test-steps';
import type { TestVerdict } from '../test-verdict';

/** Loaded on demand: instructions to allow notifications again. */
const Silent = lazy(() =>
  import('../../notifications/CannotNotify').then((module) => module.CannotNotify),
);

/** Stages checked on the device. Collapsed once the push is what counts. */
export function PhoneStages({
  stages,
  busy: isBusy,
}: {
  stages: readonly DeviceStage[];
  busy?: boolean;
}) {
  if (!stages.length && !isBusy) return null;
  const steps = phoneSteps(stages, isBusy === true);
  const goodCount = steps.filter(({ tone }) => tone === 'ok').length;
  return (
    <details className="panel" open={isBusy || steps.some(({ tone }) => tone === 'bad')}>
      <summary>
        On this device: {goodCount} of {steps.length} checks passed
      </summary>
      <StageList label="Checks on this device" steps={steps} />
    </details>
  );
}

/**
 * A test's progress, then its result. Screen readers announce each change of this single element.
 */
export const ProgressStatus = ({
  verdict,
  actionText,
  stage,
}: {
  verdict?: TestVerdict | undefined;
  actionText?: string;
  stage?: string | undefined;
}) => (
  <div
    className={verdict && 'note'}
    data-tone={verdict?.tone}
    role={verdict?.tone === 'bad' ? 'alert' : 'status'}
  >
    {verdict ? (
      <>
        <b>{verdict.title}</b>
        {verdict.text && <br />}
        {verdict.text}
      </>
    ) : (
      <>
        <p>{actionText}</p>
        <p className="sr">{stage}</p>
      </>
    )}
  </div>
);

export function CheckingPhone({ stages }: { stages: readonly DeviceStage[] }) {
  const steps = phoneSteps(stages, true);
  return (
    <>
      <ProgressStatus
        actionText="Checking this device first. Your browser may ask for permission."
        stage={currentTitle(steps)}
      />
      <PhoneStages stages={stages} busy />
      <p>
        <button type="button" className="plain full" aria-busy="true" disabled>
          Testing…
        </button>
      </p>
    </>
  );
}

/** The device itself failed, so no push was sent. */
export function UnfitPhone({
  stages,
  ...actions
}: DeviceTestActions & { stages: readonly DeviceStage[] }) {
  const lastStage = stages.at(-1);
  const [failedStage] = phoneSteps(stages, false).slice(stages.length - 1);
  const isBlocked = lastStage?.fault === 'blocked';
  return (
    <>
      <ProgressStatus
        verdict={{
          title:
            lastStage?.fault === 'unknown'
              ? 'We don’t know whether this device is reachable.'
              : 'This device isn’t reachable.',
          text: `${failedStage?.title}. ${lastStage ? phoneRemedy(lastStage) : ''}`,
          tone: lastStage?.fault === 'unknown' ? 'warn' : 'bad',
        }}
      />
      <PhoneStages stages={stages} />
      {isBlocked && <Silent />}
      <TestAgain isMain {...actions} />
    </>
  );
}

/** The device is fine, but the server sends no test now. */
export const RejectedTest = ({
  stages,
  message,
  isLimitReached: limit,
  ...actions
}: DeviceTestActions & {
  stages: readonly DeviceStage[];
  message: string;
  isLimitReached: boolean;
}) => (
  <>
    <p className="note" data-tone={limit ? 'warn' : 'bad'} role={limit ? 'status' : 'alert'}>
      {message}
    </p>
    <PhoneStages stages={stages} />
    <TestAgain {...actions} />
  </>
);
