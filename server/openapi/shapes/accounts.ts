/** Signing in. */
import * as v from 'valibot';
import type { BegunSecondFactor, SecondFactor } from '../../../src/shared/contract';
import { shapeOf } from '../call';
import { count, text } from './common';

/** What a browser keeps, and sends with the next sign-in. */
export const clientToken = v.optional(
  v.pipe(
    v.nullable(text),
    v.description('Random: to be kept, and sent with the next sign-in in this browser.'),
  ),
);

export const secondFactor = shapeOf<SecondFactor>()(
  v.object({
    mode: v.pipe(
      v.picklist(['off', 'optional', 'required']),
      v.description('Whether administrators may, or must, set up an authenticator app.'),
    ),
    isOn: v.boolean(),
    recoveryCodesLeft: count,
    hasPassword: v.boolean(),
  }),
);

export const begunSecondFactor = shapeOf<BegunSecondFactor>()(
  v.object({
    secret: v.pipe(text, v.description('In base32.')),
    link: v.pipe(text, v.description('The same as `otpauth://…`.')),
    begun: v.pipe(text, v.description('To be sent with the code that confirms it.')),
  }),
);
