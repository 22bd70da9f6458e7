import * as assert from 'uvu/assert';
import { Dashboard } from '../../../../src/screens/dashboard/Dashboard';
import { press, screen, screenSuite, show } from '../../../support/app/app';

const test = screenSuite('dashboard');

for (const [name, path] of [
  ['Manage Users', '/admin/users'],
  ['Manage Topics', '/admin/topics'],
] as const) {
  test(`a card leads to ${name}`, () => {
    show(<Dashboard />, '/admin');
    assert.ok(screen.getByRole('heading', { level: 1, name: 'Dashboard' }));
    press(screen.getByRole('link', { name: new RegExp(`^${name}`) }));
    assert.is(location.pathname, path);
  });
}

test.run();
