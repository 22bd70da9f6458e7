/** Tests that an administrator starts: of all devices, or of one person's. */
import { useState } from 'react';
import { errorMessage } from '../../api/error';
import type { ReachBoardPerson } from '../../shared/contract';
import {
  DEVICES_TEST_FAILED,
  testDevices,
  type ReachBoardPage,
} from '../../state/reach/reach-board';
import { serverNow } from '../../state/clock';
import { useBusy } from '../../ui/forms/use-busy';
import { notify } from '../../ui/notices';

type Round = NonNullable<ReachBoardPage['lastTests']>;
type StartedTests = Awaited<ReturnType<typeof testDevices>>;

const ALL_IN_QUIET_HOURS =
  'No devices were tested because of quiet hours. Try again when quiet hours are over.';

/** The board shows a started test after this delay. */
const BOARD_DELAY_MS = 10_000;

export function useDeviceTests(board: ReachBoardPage | undefined, reload: () => void) {
  const { busy, begin, end } = useBusy<'all' | number>();
  const [runningUntil, setRunningUntil] = useState(0);
  const [startedRound, setStartedRound] = useState<{ round: Round; before: string | undefined }>();
  const lastRound = board?.lastTests ?? undefined;

  async function startTest(
    target: 'all' | number,
    noneStarted: string,
    onStarted: (startedTests: StartedTests) => void,
  ) {
    begin(target);
    let isStarted = false;
    try {
      const response = await testDevices(target === 'all' ? undefined : target);
      isStarted = response.devices > 0;
      if (isStarted) onStarted(response);
      else notify(response.quietDevices ? ALL_IN_QUIET_HOURS : noneStarted, 'warn');
      reload();
    } catch (thrown) {
      notify(errorMessage(thrown, DEVICES_TEST_FAILED), 'bad');
    } finally {
      end(isStarted);
    }
  }
  return {
    busy,
    /** When the board stops looking for one person's test, in milliseconds since 1970. */
    until: runningUntil,
    /** The last test of all devices, or the test just started until the board shows it. */
    round: startedRound && startedRound.before === lastRound?.at ? startedRound.round : lastRound,
    testAll: () =>
      void startTest('all', 'There are no devices to test.', (response) =>
        setStartedRound({
          round: { at: new Date(serverNow()).toISOString(), ...response },
          before: lastRound?.at,
        }),
      ),
    testPerson: ({ user }: ReachBoardPerson) =>
      void startTest(user.id, `${user.username} has no device to test.`, () =>
        setRunningUntil(serverNow() + BOARD_DELAY_MS),
      ),
  };
}
