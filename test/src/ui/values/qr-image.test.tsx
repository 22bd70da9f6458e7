import { encode } from 'uqr';
import * as assert from 'uvu/assert';
import { QrImage } from '../../../../src/ui/values/QrImage';
import { screen, screenSuite, showScreen } from '../../../support/app/app';

const test = screenSuite('a QR code');

function paintedModules(path: string, size: number): boolean[][] {
  const rows = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g))
    for (let at = Number(x); at < Number(x) + Number(width); at += 1) rows[Number(y)]![at] = true;
  return rows;
}

test('draws the text’s modules black on white with a quiet zone', () => {
  const text = 'https://bell.example/register/t0k3n-of-twenty-two-x';
  showScreen(<QrImage text={text} label="The link" />, '/');
  const picture = screen.getByRole('img', { name: 'The link' });
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  assert.is(picture.getAttribute('viewBox'), `0 0 ${size} ${size}`);
  const [white, black] = [...picture.querySelectorAll('path')];
  assert.equal([white?.getAttribute('fill'), black?.getAttribute('fill')], ['#fff', '#000']);
  assert.is(white?.getAttribute('d'), `M0 0h${size}v${size}H0z`);
  const modules = paintedModules(black?.getAttribute('d') ?? '', size);
  assert.equal(modules, data);
  assert.is(modules.slice(0, 4).flat().includes(true), false);
});

test.run();
