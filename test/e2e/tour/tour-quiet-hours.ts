import type { TourScreen } from './tour';

export const QUIET_HOURS_SCREENS: TourScreen[] = [
  { name: 'quiet-hours', path: '/quiet-hours', as: 'technician', steps: [fakeQuietHours] },
  { name: 'quiet-hours-none', path: '/quiet-hours', as: 'technician', steps: [fakeNoQuietHours] },
  {
    name: 'quiet-hours-rejected',
    path: '/quiet-hours',
    as: 'technician',
    steps: [fakeQuietHours, 'Remove rule 1', 'Add a rule', rejectSave, 'Save quiet hours'],
  },
];

/** Two rules, one of which holds now. Runs in the page. */
function fakeQuietHours(): void {
  const { fetch } = window;
  window.fetch = async (input, init) =>
    !String(input).endsWith('/quiet-hours') || init?.method === 'PUT'
      ? fetch(input, init)
      : Response.json({
          timeZone: 'Europe/Oslo',
          rules: [
            { days: [1, 2, 3, 4, 5], from: '22:00', to: '06:00' },
            { days: [6, 7], from: '20:00', to: '09:00' },
          ],
          quietUntil: new Date(Date.now() + 4 * 60 * 60 * 1000).toISOString(),
          waiting: 1,
        });
  dispatchEvent(new Event('online'));
}
/** No rules saved. Runs in the page. */
function fakeNoQuietHours(): void {
  const { fetch } = window;
  window.fetch = async (input, init) =>
    String(input).endsWith('/quiet-hours')
      ? Response.json({ timeZone: 'UTC', rules: [], quietUntil: null, waiting: 0 })
      : fetch(input, init);
  dispatchEvent(new Event('online'));
}
/** Rejects a save for its first time. Runs in the page. */
function rejectSave(): void {
  const { fetch } = window;
  window.fetch = async (input, init) =>
    init?.method === 'PUT'
      ? Response.json(
          { error: [{ message: 'These hours never end.', path: 'rules.0.from' }] },
          { status: 400 },
        )
      : fetch(input, init);
}
