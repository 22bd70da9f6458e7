import type { TourScreen } from './tour';

const testScreen = (name: string, id: string, then: string[] = []): TourScreen => ({
  name,
  path: `/check?then=${id}`,
  as: 'technician',
  steps: [fakeTests, ...then],
});

export const DEVICE_TEST_SCREENS: TourScreen[] = [
  { name: 'check', path: '/check', as: 'technician' },
  testScreen('check-arrived', 'arrived'),
  testScreen('check-good', 'arrived', ['Yes']),
  testScreen('check-silent', 'arrived', ['No sound']),
  testScreen('check-late', 'late'),
  testScreen('check-failed', 'accepted'),
  testScreen('check-sleep', 'asleep'),
  {
    name: 'check-blocked',
    path: '/check',
    as: 'blocked technician',
    steps: ['Test this phone'],
  },
];

/**
 * Answers each test by its name, and speeds time up. Shows the addressed test. Runs in the page.
 */
function fakeTests(): void {
  const { fetch, performance } = window;
  const clock = performance.now.bind(performance);
  let skippedMs = 0;
  performance.now = () => clock() + skippedMs;
  const iso = (time: number) => new Date(time).toISOString();
  window.fetch = async (input, init) => {
    const [, id, heard] = /notifications\/tests\/(\w+)(\/heard)?$/.exec(String(input)) ?? [];
    if (!id) return fetch(input, init);
    skippedMs += 10_000;
    const sent = Date.now() - 60_000;
    const shown = id === 'late' ? sent + 40_000 : sent + 2000;
    const arrives = id === 'arrived' || id === 'late';
    const rang = heard ? String(init?.body).includes('true') : undefined;
    return Response.json({
      id,
      deviceId: 1,
      createdAt: iso(sent),
      sendAt: iso(id === 'asleep' ? sent + 900_000 : sent),
      stages: {
        queued: iso(sent),
        accepted: id === 'asleep' ? null : iso(sent + 1000),
        received: arrives ? iso(shown) : null,
        displayed: arrives ? iso(shown) : null,
        heard: rang ? iso(Date.now()) : null,
      },
      failure: rang === false ? { stage: 'heard', reason: 'silent' } : null,
      lateBy: id === 'late' ? 40_000 : null,
    });
  };
  const then = new URLSearchParams(location.search).get('then');
  history.pushState(null, '', `/check?test=${then}`);
}
