import * as v from 'valibot';
import { commonPasswords } from '../common-passwords';
import { foldCase } from '../case-fold';
import { LANGUAGE_CODES } from '../languages';
import {
  countSchema,
  withDescription,
  messageResponseWith,
  idSchema,
  idField,
  pageFields,
  pagingFields,
  withExamples,
  sampleText,
  timestampSchema,
  sampleUri,
} from './common';
import type { CallTable } from './common';
import { cleanText, emailAddressSchema, listOf, rowIdField, usernameSchema } from './fields';
import { sampleSecrets } from './secrets';

export const roleSchema = v.picklist(['ADMIN', 'TECHNICIAN', 'CUSTOMER']);
export const userStatusSchema = v.picklist(['PENDING', 'ACTIVE']);
/** A language of the app; null follows the browser. */
export const ownLanguageSchema = withDescription(
  v.nullable(v.picklist(LANGUAGE_CODES)),
  'A language of the app. Null to use the language of the browser, or the server’s `DEFAULT_LANGUAGE` if the app does not have that language.',
  'de',
);
export const teamReferenceSchema = v.object({ id: idSchema, name: sampleText('North crew') });
export const userSchema = v.object({
  id: withExamples(idSchema, 2),
  username: sampleText('m.okafor'),
  email: v.nullable(sampleText('m.okafor@northgrid.example')),
  role: withExamples(roleSchema, 'TECHNICIAN'),
  status: withExamples(userStatusSchema, 'ACTIVE'),
  createdAt: timestampSchema,
  isAuditor: v.exactOptional(
    withDescription(v.boolean(), '`true` if the user is an auditor. Absent otherwise.', true),
  ),
  teams: v.exactOptional(
    withDescription(
      v.array(teamReferenceSchema),
      'The user’s teams. Absent if there are none, and in the response to a sign-in.',
    ),
  ),
  suspendedAt: v.exactOptional(
    withDescription(
      v.nullable(timestampSchema),
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
  checkIn: v.exactOptional(
    withDescription(
      v.object({
        state: withExamples(v.picklist(['running', 'due', 'missed', 'help']), 'running'),
        isAlarmOpen: withDescription(
          v.boolean(),
          'Whether the person asked for help or did not answer, and no one has sent the all-clear.',
          false,
        ),
      }),
      'The user’s check-in. Only in the response to `GET /api/admin/users/{id}`. Absent if all their check-ins have ended.',
    ),
  ),
  registrationToken: v.exactOptional(
    withDescription(
      v.string(),
      'The secret part of the registration link. Absent once the user has registered, and while the user is suspended.',
    ),
  ),
});
export const newUserSchema = v.object({
  user: userSchema,
  registrationLink: sampleUri(`https://bell.example/register/${sampleSecrets.registration}`),
});
export const userPageSchema = v.object({ users: v.array(userSchema), ...pageFields });

/** A link that signs a new phone in. */
export const phoneLinkSchema = v.object({
  link: withDescription(
    v.string(),
    'The link to show as a QR code. It works once, and only while the session that created it is valid.',
    `https://bell.example/new-phone#${sampleSecrets.phone}`,
  ),
  expiresAt: withExamples(timestampSchema, '2026-11-20T14:12:00.000Z'),
});
/** Rules for a new password that a form can check while a person types. */
export const passwordRulesSchema = v.object({
  minLength: withDescription(
    countSchema,
    'The minimum length of a password, in characters as `String.length` counts them.',
    8,
  ),
  maxLength: withExamples(countSchema, 1024),
  notCommon: withDescription(v.boolean(), 'Whether the most common passwords are rejected.'),
});

export type TeamReference = v.InferOutput<typeof teamReferenceSchema>;
export type Role = v.InferOutput<typeof roleSchema>;
export type UserStatus = v.InferOutput<typeof userStatusSchema>;
export type User = v.InferOutput<typeof userSchema>;
export type UserPage = v.InferOutput<typeof userPageSchema>;
export type PhoneLink = v.InferOutput<typeof phoneLinkSchema>;
export type PasswordRules = v.InferOutput<typeof passwordRulesSchema>;

export const PASSWORD_RULES: PasswordRules = { minLength: 8, maxLength: 1024, notCommon: true };
const { minLength, maxLength } = PASSWORD_RULES;
/** Existing passwords may break newer rules, so only the length is limited. */
export const typedPasswordSchema = withExamples(
  v.pipe(v.string(), v.maxLength(maxLength, 'Password is too long.')),
  sampleSecrets.password,
);
export const newPasswordSchema = withExamples(
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
  sampleSecrets.newPassword,
);
/**
 * The token of this browser's last sign-in by any person. An invalid token must not block a
 * sign-in.
 */
export const clientTokenSchema = withExamples(
  v.optional(v.fallback(v.nullable(v.string()), null)),
  null,
);
/** A form sends an empty field as empty text. */
const optionalEmailSchema = v.exactOptional(
  v.pipe(
    cleanText('Email'),
    v.trim(),
    v.check(
      (email) => email === '' || v.is(emailAddressSchema, email),
      'Please enter a valid email address.',
    ),
  ),
);

const MAX_TOPICS_OF_NEW_USER = 1000;
const topicIdsSchema = listOf(
  rowIdField('Topic'),
  MAX_TOPICS_OF_NEW_USER,
  `A new user can be subscribed to at most ${MAX_TOPICS_OF_NEW_USER.toLocaleString('en')} topics.`,
);

const userParams = { id: idField('user', 2) };
const pendingUserParams = { id: idField('user', 3) };

export const userCalls = {
  'GET /api/admin/users': {
    does: 'List users',
    query: {
      ...pagingFields('Text to search for in usernames and email addresses.'),
      team: withDescription(idSchema, 'Only members of this team.', 1),
    },
    response: userPageSchema,
    errors: { 400: 'The team does not exist.' },
  },
  'POST /api/admin/users': {
    does: 'Add a user',
    more: 'The user is PENDING until they open the registration link and set a password.',
    body: v.object({
      username: withExamples(usernameSchema, 'k.meyer'),
      email: withExamples(optionalEmailSchema, 'k.meyer@northgrid.example'),
      role: withExamples(roleSchema, 'TECHNICIAN'),
      topicIds: v.exactOptional(
        withDescription(topicIdsSchema, 'Topics to subscribe the user to.', [1]),
      ),
      language: v.exactOptional(
        withDescription(
          v.picklist(LANGUAGE_CODES),
          'The language of the invitation and later of the account. If absent, the app uses the language of the browser.',
          'pl',
        ),
      ),
    }),
    isRepeatable: true,
    response: newUserSchema,
    errors: {
      400: 'The body is invalid, or a topic does not exist.',
      409: 'The username or email address is already in use.',
    },
  },
  'GET /api/admin/users/:id': { does: 'Get a user', params: userParams, response: userSchema },
  'PUT /api/admin/users/:id': {
    does: 'Change a username and email address',
    more: 'A registered user must verify a changed email address. Without `email`, the user’s address is removed.',
    params: pendingUserParams,
    body: v.object({
      username: withExamples(usernameSchema, 'p.novak'),
      email: withExamples(optionalEmailSchema, 'p.novak@northgrid.example'),
    }),
    response: userSchema,
    errors: { 409: 'The username or email address is already in use.' },
  },
  'PUT /api/admin/users/:id/role': {
    does: 'Change a user’s role',
    more: 'A change ends all sessions of the user.',
    params: pendingUserParams,
    body: v.object({ role: withExamples(roleSchema, 'TECHNICIAN') }),
    response: userSchema,
    errors: { 409: 'The role of the last administrator cannot be changed.' },
  },
  'PUT /api/admin/users/:id/auditor': {
    does: 'Add or remove auditor access',
    more: 'Auditor access lets a user read messages, reachability, insights and the audit log, but not change them. A user of any role can be an auditor.',
    params: pendingUserParams,
    body: v.object({ isAuditor: v.boolean() }),
    response: userSchema,
  },
  'PUT /api/admin/users/:id/language': {
    does: 'Choose the language of an invitation',
    more: 'The account then uses this language, too. After registration, only the user can change the language.',
    params: pendingUserParams,
    body: v.object({ language: ownLanguageSchema }),
    response: userSchema,
    errors: { 409: 'The user has already registered.' },
  },
  'POST /api/admin/users/:id/suspend': {
    does: 'Suspend a user',
    more: 'The user is signed out everywhere. Subscriptions and history stay. If the user has a check-in, it ends, and its alarm is canceled. Everyone who gets the alarm is notified that no one knows whether the user is OK.',
    params: pendingUserParams,
    response: userSchema,
    errors: { 409: 'You cannot suspend yourself.' },
  },
  'POST /api/admin/users/:id/reinstate': {
    does: 'Reinstate a suspended user',
    params: pendingUserParams,
    response: userSchema,
  },
  'POST /api/admin/users/:id/phone-link': {
    does: 'Create a sign-in link for a user’s new phone',
    more: 'The link is valid for ten minutes. The user’s previous sign-in link stops working. When the new link is used, the user gets an email.',
    params: userParams,
    response: phoneLinkSchema,
    errors: {
      409: 'The user is an administrator, is suspended or has not registered, or password sign-in is disabled. If the server can send email, this also happens if the user has no verified email address, or an administrator changed it in the last 24 hours.',
      429: 'You created more than ten links for this user within an hour.',
    },
  },
  'DELETE /api/admin/users/:id': {
    does: 'Delete a user',
    params: pendingUserParams,
    response: messageResponseWith('The user was deleted.'),
    errors: {
      409: 'The last administrator cannot be deleted. Nor can a user whose check-in has not ended: suspend the user first. If an alarm is open, send the all-clear, too.',
    },
  },
} satisfies CallTable;
