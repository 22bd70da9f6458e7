/** Users. */
import * as v from 'valibot';
import { count, described, id, page, sample, text, time, uri } from './common';

export const role = v.picklist(['ADMIN', 'TECHNICIAN', 'CUSTOMER']);
export const userStatus = v.picklist(['PENDING', 'ACTIVE']);
export const user = v.object({
  id: sample(id, 2),
  username: text('m.okafor'),
  email: v.nullable(text('m.okafor@northgrid.example')),
  role: sample(role, 'TECHNICIAN'),
  status: sample(userStatus, 'ACTIVE'),
  createdAt: time,
  registrationToken: v.exactOptional(
    described(v.string(), 'Only while PENDING: the secret part of the registration link.'),
  ),
});
export const newUser = v.object({
  user,
  registrationLink: uri('https://bell.example/register/kD93mZpQx7RtY2vBnL5wHs8cJfGa1eUo'),
});
export const userPage = v.object({ users: v.array(user), ...page });

/** What the server asks of a new password, as facts that a form can check while somebody types. */
export const passwordRules = v.object({
  minLength: described(count, 'In characters, counted as `String.length` does.', 8),
  maxLength: sample(count, 128),
  notCommon: described(v.boolean(), 'Whether the most common passwords are refused.'),
});

export type Role = v.InferOutput<typeof role>;
export type UserStatus = v.InferOutput<typeof userStatus>;
export type User = v.InferOutput<typeof user>;
export type UserPage = v.InferOutput<typeof userPage>;
export type PasswordRules = v.InferOutput<typeof passwordRules>;
