/** Device tests of a server, behind `fakeApi`. */
import type { DeviceTest, TestStage } from '../../../src/shared/contract';
import { fakeApi } from './fake-api';

export const START_TEST_CALL = 'POST /api/notifications/tests';
export const READ_TEST_CALL = 'GET /api/notifications/tests/:id';
export const SOUND_ANSWER_CALL = 'POST /api/notifications/tests/:id/heard';

const tests = new Map<string, DeviceTest>();
const iso = (time: number): string => new Date(time).toISOString();

export const createQueuedTest = (id: string, change: Partial<DeviceTest> = {}): DeviceTest => ({
  id,
  deviceId: 5,
  createdAt: iso(Date.now()),
  sendAt: iso(Date.now()),
  stages: { queued: iso(Date.now()), accepted: null, received: null, displayed: null, heard: null },
  failure: null,
  lateBy: null,
  ...change,
});

const getTest = (id = ''): DeviceTest => {
  const foundTest = tests.get(id);
  if (!foundTest) throw new Error(`There is no test ${id}.`);
  return foundTest;
};

export const fakeTests = {
  install(): void {
    tests.clear();
    fakeApi.reply(START_TEST_CALL, ({ body }) => {
      const { deviceId, delay = 0 } = body as { deviceId: number; delay?: number };
      const test = createQueuedTest(`t${tests.size + 1}`, {
        deviceId,
        sendAt: iso(Date.now() + delay * 1000),
      });
      tests.set(test.id, test);
      return test;
    });
    fakeApi.respond(READ_TEST_CALL, ({ params: { id = '' } }) =>
      tests.has(id)
        ? Response.json(getTest(id))
        : Response.json({ error: 'There is no such test.' }, { status: 404 }),
    );
    fakeApi.reply(SOUND_ANSWER_CALL, ({ params: { id = '' }, body }) => {
      const { heard } = body as { heard: boolean };
      fakeTests.changeTest(id, {
        stages: { ...getTest(id).stages, heard: heard ? iso(Date.now()) : null },
        failure: heard ? null : { stage: 'heard', reason: 'silent' },
      });
      return getTest(id);
    });
  },
  addTest: (test: DeviceTest): void => void tests.set(test.id, test),
  changeTest: (id: string, change: Partial<DeviceTest>): void =>
    void tests.set(id, { ...getTest(id), ...change }),
  /** Brings a test to these stages, `late` milliseconds after it left. */
  completeStages(id: string, stages: TestStage[], late = 0): void {
    const stageTime = iso(late ? Date.parse(getTest(id).sendAt) + late : Date.now());
    fakeTests.changeTest(id, {
      failure: null,
      stages: {
        ...getTest(id).stages,
        ...Object.fromEntries(stages.map((stage) => [stage, stageTime])),
      },
      lateBy: late && stages.includes('displayed') ? late : getTest(id).lateBy,
    });
  },
  failTest: (id: string, failure: DeviceTest['failure']): void =>
    fakeTests.changeTest(id, { failure }),
};
