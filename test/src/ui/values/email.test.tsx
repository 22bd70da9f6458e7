import * as assert from 'uvu/assert';
import { Email } from '../../../../src/ui/values/Email';
import { cleanup, screenSuite, showScreen } from '../../../support/app/app';

const test = screenSuite('email addresses');

test('breaks an address only before its last @, and shows invalid ones as a dash', () => {
  for (const [address, pieces] of [
    ['ana@northgrid.example', ['ana', '@northgrid.example']],
    ['"a@b"@northgrid.example', ['"a@b"', '@northgrid.example']],
    ['@northgrid.example', ['@northgrid.example']],
    ['nobody', ['nobody']],
    ['', ['-']],
    [null, ['-']],
    [7 as never, ['-']],
  ] as const) {
    showScreen(<Email>{address}</Email>, '/');
    const written = document.querySelector('main bdi')!.innerHTML;
    assert.equal(written.split('<wbr>'), pieces, String(address));
    cleanup();
  }
});

test.run();
