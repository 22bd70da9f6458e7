import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limitBodies } from '../../../../server/http/connections/under-way';

const test = suite('bodies under way');
const OFFICE = '192.0.2.1';

/** A body that is on its way until `end` is called. */
function make() {
  const withBody = limitBodies({ maxForAddress: 2, max: 4 });
  const cut: string[] = [];
  const begin = (name: string, address: string) => {
    let end = (): void => undefined;
    const done = withBody(address, async (body) => {
      body.onCut = () => void cut.push(name);
      await new Promise<void>((resolve) => (end = resolve));
      return body.isCut;
    });
    return { end: () => end(), done };
  };
  return { withBody, begin, cut };
}

test('one body more than an address may have cuts off its oldest, and no other’s', async () => {
  const { begin, cut } = make();
  const other = begin('other', '192.0.2.9');
  const all = ['1', '2', '3', '4'].map((name) => begin(name, OFFICE));
  assert.equal(cut, ['1', '2']);
  for (const one of [other, ...all]) one.end();
  assert.equal(await Promise.all([other, ...all].map(({ done }) => done)), [
    false,
    true,
    true,
    false,
    false,
  ]);
});

test('one body more than all addresses may have cuts off the oldest of all', () => {
  const { begin, cut } = make();
  for (const place of [1, 2, 3, 4]) begin(String(place), `192.0.2.${place}`);
  assert.equal(cut, []);
  for (const place of [5, 6]) begin(String(place), `192.0.2.${place}`);
  assert.equal(cut, ['1', '2']);
});

test('a body that has ended, well or not, makes room, and one that was cut off does so once', async () => {
  const { withBody, begin, cut } = make();
  const [first, second] = [begin('1', OFFICE), begin('2', OFFICE)];
  begin('3', OFFICE);
  first.end();
  assert.is(await first.done, true);
  begin('4', OFFICE);
  assert.equal(cut, ['1', '2'], 'the end of the first, which was cut off, makes no more room');
  second.end();
  await second.done;
  const failing = make();
  for (let turn = 0; turn < 3; turn += 1)
    await failing
      .withBody(OFFICE, () => Promise.reject(new Error('no')))
      .then(
        () => assert.unreachable(),
        () => undefined,
      );
  for (const name of ['a', 'b']) failing.begin(name, OFFICE);
  assert.equal(failing.cut, []);
  assert.is(await withBody('192.0.2.8', async () => 'whole'), 'whole');
});

test.run();
