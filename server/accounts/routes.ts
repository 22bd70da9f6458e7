import { MAX_LIMIT } from '../../src/shared/contract/common';
import type { FirstScreen, User } from '../../src/shared/contract';
import { PASSWORD_RULES } from '../../src/shared/contract/accounts';
import { readIdempotencyKey, idempotentRequest } from '../http/idempotency';
import { readAcceptLanguage } from '../translation/accept-language';
import { storeBrowserLanguage } from '../translation/language-of-person';
import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import { renewSession } from '../http/access/session';
import type { Services } from '../services';
import { changeAuditor } from './auditor';
import { readOwnRights } from './own-account/rights';
import { changeInvitationLanguage } from './invitation-language';
import { listInvitations } from './invitations';
import { addUser } from './registration/invitation';
import { signInWithPassword } from './sign-in/password-sign-in';
import { createPhoneLink, readPhoneLink, usePhoneLink } from './sign-in/phone-links';
import { signInWithPasskey } from './passkeys/sign-in';
import { resetPassword } from './passwords/password-reset';
import { completeRegistration, readRegistration } from './registration/registration';
import { changeUser } from './change-user';
import { NO_SUCH_USER, changeRole, deleteUser, listUsers, readUser } from './users';
import { queueRequestedMail } from './mail/requested-mail';
import { readTeamFilter } from '../memberships/teams-of-people';
import { verifyEmail } from './mail/verification';

/** @param readFirstScreen data of the app's first screen, sent with the response to a sign-in */
export function addSignInRoutes(
  add: AddRoute,
  services: Services,
  readFirstScreen: (user: User) => Promise<FirstScreen | undefined>,
): void {
  /** The app's first screen needs no other response. */
  async function addFirstScreen<SignedIn extends { user: User }>(
    signedIn: SignedIn,
    header: (name: string) => string | undefined,
  ) {
    const { user } = signedIn;
    await storeBrowserLanguage(user, header('accept-language'), services.db);
    const firstScreen = await readFirstScreen(user);
    return {
      ...signedIn,
      ...(await readOwnRights({ ...user, is_auditor: user.isAuditor ? 1 : 0 }, services.db)),
      ...(firstScreen && { firstScreen }),
    };
  }
  add('POST /api/auth/login', {
    action: 'sessions.create',
    respond: async ({ body, address, header }) =>
      addFirstScreen(await signInWithPassword(body, address, services), header),
  });
  add('POST /api/auth/passkey', {
    action: 'sessions.create',
    respond: async ({ body, address, header }) =>
      addFirstScreen(await signInWithPasskey(body, address, services), header),
  });
  add('POST /api/auth/phone-link', {
    action: 'sessions.create',
    respond: async ({ body, address, header }) =>
      addFirstScreen(await usePhoneLink(body, address, services), header),
  });
  add('POST /api/auth/phone-link/owner', {
    action: 'sessions.create',
    respond: ({ body, address }) => readPhoneLink(body.token, address, services),
  });
  add('POST /api/account/phone-link', {
    action: 'account.change',
    respond: (call) => createPhoneLink(call.user.id, call, services),
  });
  add('POST /api/auth/refresh', {
    action: 'sessions.renew',
    respond: async ({ user, header }) => {
      await storeBrowserLanguage(user, header('accept-language'), services.db);
      return {
        token: await renewSession(header('authorization'), user, services),
        ...(user.language !== null && { language: user.language }),
        ...(await readOwnRights(user, services.db)),
      };
    },
  });
  add('POST /api/auth/complete-registration', {
    action: 'registrations.complete',
    respond: async ({ body, header, address }) => {
      const key = readIdempotencyKey(header);
      const browserToken = await completeRegistration(
        { ...body, browserLanguage: readAcceptLanguage(header('accept-language')) },
        key,
        address,
        services,
      );
      return { message: 'Registration complete! You can now log in.', clientToken: browserToken };
    },
  });
  add('GET /api/auth/registration/:token', {
    action: 'registrations.complete',
    respond: ({ params, address }) => readRegistration(params.token, address, services),
  });
  add('GET /api/auth/password-rules', {
    action: 'registrations.complete',
    respond: () => PASSWORD_RULES,
  });
  add('POST /api/auth/request-password-reset', {
    action: 'passwords.reset',
    respond: async ({ body, address }) => {
      await queueRequestedMail(
        'mail-password-reset',
        { email: body.email, callerAddress: address },
        services,
      );
      return {
        message: 'If an account with that email exists, a password reset link has been sent.',
      };
    },
  });
  add('POST /api/auth/reset-password', {
    action: 'passwords.reset',
    respond: async ({ body, address }) => {
      const browserToken = await resetPassword(body, address, services);
      return { message: 'Password reset! You can now log in.', clientToken: browserToken };
    },
  });
  add('GET /api/auth/verify-email/:token', {
    action: 'registrations.complete',
    respond: async ({ params, address }) => {
      await verifyEmail(params.token, address, services);
      return { message: 'Email verified! You can now log in.' };
    },
  });
  add('POST /api/auth/resend-verification', {
    action: 'registrations.complete',
    respond: async ({ body, address }) => {
      await queueRequestedMail(
        'mail-verification',
        { email: body.email, callerAddress: address },
        services,
      );
      return { message: 'Verification email sent! Please check your inbox.' };
    },
  });
}

export function addUserRoutes(add: AddRoute, services: Services): void {
  add('GET /api/admin/users', {
    action: 'users.read',
    respond: async ({ paging, query }) =>
      listUsers(paging, await readTeamFilter('team', query, services.db), services),
  });
  add('POST /api/admin/users', {
    action: 'users.change',
    status: 201,
    respond: ({ body, user, transact, header }) => {
      const { username, email, role, topicIds = [], language } = body;
      const newUser = {
        ...{ username, email: email || undefined, role },
        ...(topicIds.length > 0 && { topicIds }),
        ...(language && { language }),
      };
      return addUser(
        newUser,
        idempotentRequest('user', user.id, readIdempotencyKey(header), newUser),
        transact,
        services,
      );
    },
  });
  add('GET /api/admin/users/:id', {
    action: 'users.read',
    respond: ({ params }) => readUser(readId(params.id, NO_SUCH_USER), services),
  });
  add('PUT /api/admin/users/:id', {
    action: 'users.change',
    respond: ({ params, body, transact }) =>
      changeUser(
        readId(params.id, NO_SUCH_USER),
        { username: body.username, email: body.email || undefined },
        transact,
        services,
      ),
  });
  add('PUT /api/admin/users/:id/role', {
    action: 'users.change',
    respond: ({ params, body, transact }) =>
      changeRole(readId(params.id, NO_SUCH_USER), body.role, transact, services),
  });
  add('PUT /api/admin/users/:id/auditor', {
    action: 'users.change',
    respond: ({ params, body, transact }) =>
      changeAuditor(readId(params.id, NO_SUCH_USER), body.isAuditor, transact, services),
  });
  add('PUT /api/admin/users/:id/language', {
    action: 'users.invite',
    respond: ({ params, body, transact }) =>
      changeInvitationLanguage(readId(params.id, NO_SUCH_USER), body.language, transact, services),
  });
  add('POST /api/admin/users/:id/phone-link', {
    action: 'users.invite',
    respond: (call) => createPhoneLink(readId(call.params.id, NO_SUCH_USER), call, services),
  });
  add('DELETE /api/admin/users/:id', {
    action: 'users.change',
    respond: async ({ params, transact }) => {
      await deleteUser(readId(params.id, NO_SUCH_USER), transact, services.now());
      return { message: 'The user was deleted.' };
    },
  });
  add('GET /api/admin/invitations', {
    action: 'users.invite',
    respond: ({ paging, query }) =>
      listInvitations(
        paging,
        { ids: readIds(query.get('ids')), withoutEmail: query.get('mail') === 'none' },
        services,
      ),
  });
}

/** Ignores invalid ids, as in every list. */
const readIds = (text: string | null): number[] | undefined =>
  text === null || text === ''
    ? undefined
    : text
        .split(',', MAX_LIMIT)
        .map(Number)
        .filter((id) => Number.isSafeInteger(id) && id > 0);
