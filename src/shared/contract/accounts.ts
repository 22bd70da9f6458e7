import * as v from 'valibot';
import { commonPasswords } from '../common-passwords';
import { foldCase } from '../case-fold';
import { LANGUAGE_CODES } from '../languages';
import {
  count,
  withDescription,
  doneWith,
  id,
  idField,
  page,
  paging,
  sample,
  text,
  time,
  uri,
} from './common';
import type { CallTable } from './common';
import { cleanText, emailAddress, listOf, rowId, username } from './fields';
import { secrets } from './secrets';

export const role = v.picklist(['ADMIN', 'TECHNICIAN', 'CUSTOMER']);
export const userStatus = v.picklist(['PENDING', 'ACTIVE']);
/** A language of the app; null follows the browser. */
export const ownLanguage = withDescription(
  v.nullable(v.picklist(LANGUAGE_CODES)),
  'A language of the app. Null to use the language of the browser, or the server’s `DEFAULT_LANGUAGE` if the app does not have that language.',
  'de',
);
export const teamReference = v.object({ id, name: text('North crew') });
export const user = v.object({
  id: sample(id, 2),
  username: text('m.okafor'),
  email: v.nullable(text('m.okafor@northgrid.example')),
  role: sample(role, 'TECHNICIAN'),
  status: sample(userStatus, 'ACTIVE'),
  createdAt: time,
  isAuditor: v.exactOptional(
    withDescription(v.boolean(), '`true` if the user is an auditor. Absent otherwise.', true),
  ),
  teams: v.exactOptional(
    withDescription(
      v.array(teamReference),
      'The user’s teams. Absent if there are none, and in the response to a sign-in.',
    ),
  ),
  suspendedAt: v.exactOptional(
    withDescription(
      v.nullable(time),
      'Null unless the user is suspended. A suspended user cannot sign in and gets no notifications or emails.',
      null,
    ),
  ),
  language: v.exactOptional(
    withDescription(
      v.picklist(LANGUAGE_CODES),
      'The language that the user chose, or the language of the invitation. Absent if the app uses the language of the browser.',
      'de',
    ),
  ),
  registrationToken: v.exactOptional(
    withDescription(
      v.string(),
      'The secret part of the registration link. Absent once the user has registered, and while the user is suspended.',
    ),
  ),
});
export const newUser = v.object({
  user,
  registrationLink: uri(`https://bell.example/register/${secrets.registration}`),
});
export const userPage = v.object({ users: v.array(user), ...page });

/** A link that signs a new phone in. */
export const phoneLink = v.object({
  link: withDescription(
    v.string(),
    'The link to show as a QR code. It works once, and only while the session that created it is valid.',
    `https://bell.example/new-phone#${secrets.phone}`,
  ),
  expiresAt: sample(time, '2026-11-20T14:12:00.000Z'),
});
/** Rules for a new password that a form can check while a person types. */
export const passwordRules = v.object({
  minLength: withDescription(
    count,
    'The minimum length of a password, in characters as `String.length` counts them.',
    8,
  ),
  maxLength: sample(count, 1024),
  notCommon: withDescription(v.boolean(), 'Whether the most common passwords are rejected.'),
});

export type TeamReference = v.InferOutput<typeof teamReference>;
export type Role = v.InferOutput<typeof role>;
export type UserStatus = v.InferOutput<typeof userStatus>;
export type User = v.InferOutput<typeof user>;
export type UserPage = v.InferOutput<typeof userPage>;
export type PhoneLink = v.InferOutput<typeof phoneLink>;
export type PasswordRules = v.InferOutput<typeof passwordRules>;

export const PASSWORD_RULES: PasswordRules = { minLength: 8, maxLength: 1024, notCommon: true };
const { minLength, maxLength } = PASSWORD_RULES;
/** Existing passwords may break newer rules, so only the length is limited. */
export const typedPassword = sample(
  v.pipe(v.string(), v.maxLength(maxLength, 'Password is too long.')),
  secrets.password,
);
export const newPassword = sample(
  v.pipe(
    v.string(),
    v.minLength(minLength, `The password must have at least ${minLength} characters.`),
    v.maxLength(
      maxLength,
      `The password must have at most ${maxLength.toLocaleString('en')} characters.`,
    ),
    v.check(
      (password) => !commonPasswords.has(foldCase(password)),
      'This password is one of the most common ones. Please choose another.',
    ),
  ),
  secrets.newPassword,
);
/**
 * The token of this browser's last sign-in by any person. An invalid token must not block a
 * sign-in.
 */
export const clientToken = sample(v.optional(v.fallback(v.nullable(v.string()), null)), null);
/** A form sends an empty field as empty text. */
const optionalEmail = v.exactOptional(
  v.pipe(
    cleanText('Email'),
    v.trim(),
    v.check(
      (email) => email === '' || v.is(emailAddress, email),
      'Please enter a valid email address.',
    ),
  ),
);

const MAX_TOPICS_OF_NEW_USER = 1000;
const topicIds = listOf(
  rowId('Topic'),
  MAX_TOPICS_OF_NEW_USER,
  `A new user can be subscribed to at most ${MAX_TOPICS_OF_NEW_USER.toLocaleString('en')} topics.`,
);

const ofUser = { id: idField('user', 2) };
const ofPendingUser = { id: idField('user', 3) };

export const userCalls = {
  'GET /api/admin/users': {
    does: 'List users',
    query: {
      ...paging('Text to search for in usernames and email addresses.'),
      team: withDescription(id, 'Only members of this team.', 1),
    },
    response: userPage,
    errors: { 400: 'The team does not exist.' },
  },
  'POST /api/admin/users': {
    does: 'Add a user',
    more: 'The user is PENDING until they open the registration link and set a password.',
    body: v.object({
      username: sample(username, 'k.meyer'),
      email: sample(optionalEmail, 'k.meyer@northgrid.example'),
      role: sample(role, 'TECHNICIAN'),
      topicIds: v.exactOptional(withDescription(topicIds, 'Topics to subscribe the user to.', [1])),
      language: v.exactOptional(
        withDescription(
          v.picklist(LANGUAGE_CODES),
          'The language of the invitation and later of the account. If absent, the app uses the language of the browser.',
          'pl',
        ),
      ),
    }),
    isRepeatable: true,
    response: newUser,
    errors: {
      400: 'The body is invalid, or a topic does not exist.',
      409: 'The username or email address is already in use.',
    },
  },
  'GET /api/admin/users/:id': { does: 'Get a user', params: ofUser, response: user },
  'PUT /api/admin/users/:id': {
    does: 'Change a username and email address',
    more: 'A registered user must verify a changed email address. Without `email`, the user’s address is removed.',
    params: ofPendingUser,
    body: v.object({
      username: sample(username, 'p.novak'),
      email: sample(optionalEmail, 'p.novak@northgrid.example'),
    }),
    response: user,
    errors: { 409: 'The username or email address is already in use.' },
  },
  'PUT /api/admin/users/:id/role': {
    does: 'Change a user’s role',
    more: 'A change ends all sessions of the user.',
    params: ofPendingUser,
    body: v.object({ role: sample(role, 'TECHNICIAN') }),
    response: user,
    errors: { 409: 'The role of the last administrator cannot be changed.' },
  },
  'PUT /api/admin/users/:id/auditor': {
    does: 'Add or remove auditor access',
    more: 'Auditor access lets a user read messages, reachability, insights and the audit log, but not change them. A user of any role can be an auditor.',
    params: ofPendingUser,
    body: v.object({ isAuditor: v.boolean() }),
    response: user,
  },
  'PUT /api/admin/users/:id/language': {
    does: 'Choose the language of an invitation',
    more: 'The account then uses this language, too. After registration, only the user can change the language.',
    params: ofPendingUser,
    body: v.object({ language: ownLanguage }),
    response: user,
    errors: { 409: 'The user has already registered.' },
  },
  'POST /api/admin/users/:id/suspend': {
    does: 'Suspend a user',
    more: 'The user is signed out everywhere. Subscriptions and history stay.',
    params: ofPendingUser,
    response: user,
    errors: { 409: 'You cannot suspend yourself.' },
  },
  'POST /api/admin/users/:id/reinstate': {
    does: 'Reinstate a suspended user',
    params: ofPendingUser,
    response: user,
  },
  'POST /api/admin/users/:id/phone-link': {
    does: 'Create a sign-in link for a user’s new phone',
    more: 'The link is valid for ten minutes. The user’s previous link stops working. When the link is used, the user gets an email.',
    params: ofUser,
    response: phoneLink,
    errors: {
      409: 'The user is an administrator, is suspended or has not registered, or password sign-in is disabled. With a mail server, the user also needs a verified email address that no administrator changed in the last 24 hours.',
      429: 'You created more than ten links for this user within an hour.',
    },
  },
  'DELETE /api/admin/users/:id': {
    does: 'Delete a user',
    params: ofPendingUser,
    response: doneWith('The user was deleted.'),
    errors: { 409: 'The last administrator cannot be deleted.' },
  },
} satisfies CallTable;
