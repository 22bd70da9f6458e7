/** Second factors, checked as `shapes.ts` says. A file of its own: few people ever load it. */
import type { Answer, BegunSecondFactor, SecondFactor } from '../../shared/contract';
import { like } from '../shapes';

export const secondFactor = like<SecondFactor>({
  mode: 'off',
  isOn: false,
  recoveryCodesLeft: 0,
  hasPassword: true,
});
export const begunSecondFactor = like<BegunSecondFactor>({ secret: '', link: '', begun: '' });
export const newCodes = like<{ recoveryCodes: string[] }>({ recoveryCodes: [''] });
type Confirmed = Answer<'POST /api/auth/second-factor/confirm'>;
const anybody = null as unknown as Confirmed['user'];
export const confirmed = like<Confirmed>({ token: '', user: anybody, recoveryCodes: [''] });
