/** Entries of the audit log. */
import * as v from 'valibot';
import type { AuditEntry } from '../../../src/shared/contract';
import { shapeOf } from '../call';
import { id, text, time } from './common';

export const auditEntry = shapeOf<AuditEntry>()(
  v.object({
    id,
    at: time,
    actor: v.pipe(
      text,
      v.description(
        'A username, `deleted user 17`, `key: NAME`, `command line`, `unknown` where a sign-in failed, or `Fieldbell`.',
      ),
    ),
    action: v.pipe(text, v.description('Dotted, such as `user.role`.')),
    target: v.pipe(text, v.description('Who or what it was done to. May be empty.')),
    detail: v.pipe(text, v.description('May be empty.')),
    network: v.nullable(
      v.pipe(text, v.description('The /24 of an IPv4 address or the /48 of an IPv6 address.')),
    ),
  }),
);
