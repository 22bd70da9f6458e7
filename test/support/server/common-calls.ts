/** The calls that most tests of the server make, each as a function. */
import type { Body, Role } from '../../../src/shared/contract';
import type { Call } from './server';

type As = { token: string } | undefined;

export const createCommonCalls = (call: Call) => ({
  signIn: (username: string, password: string, from?: string) =>
    call('POST /api/auth/login', {
      body: { username, password },
      ...(from !== undefined && { from }),
    }),
  registerDevice: (as: As, deviceToken: string) =>
    call('POST /api/notifications/register-device', {
      as,
      body: { deviceToken, deviceType: 'web', userAgent: '' },
    }),
  subscribe: (as: As, userId: number, topicId: number) =>
    call('POST /api/admin/subscriptions', { as, body: { userId, topicId } }),
  addUser: (as: As, username: string, role: Role) =>
    call('POST /api/admin/users', { as, body: { username, role } }),
  changeRole: (as: As, id: number, role: Role) =>
    call('PUT /api/admin/users/:id/role', { as, params: { id }, body: { role } }),
  sendToTopic: (
    as: As,
    topicId: number,
    body: Body<'POST /api/admin/notifications/send-topic/:topicId'>,
  ) => call('POST /api/admin/notifications/send-topic/:topicId', { as, params: { topicId }, body }),
  /** Sets the account's preference, and so all its devices'. */
  setPreference: (as: As, topicId: number | string, enabled: boolean) =>
    call('PUT /api/notifications/preferences/global/:topicId', {
      as,
      params: { topicId },
      body: { enabled },
    }),
  setDevicePreference: (as: As, id: number, topicId: number, enabled: boolean) =>
    call('PUT /api/notifications/preferences/:id', {
      as,
      params: { id },
      body: { topicId, enabled },
    }),
  sendReceipts: (as: As, receipts: Body<'POST /api/notifications/receipts'>['receipts']) =>
    call('POST /api/notifications/receipts', { as, body: { receipts } }),
  sendMessage: (as: As, body: Body<'POST /api/admin/messages'>) =>
    call('POST /api/admin/messages', { as, body }),
  deleteUser: (as: As, id: number) => call('DELETE /api/admin/users/:id', { as, params: { id } }),
  renewDeviceToken: (as: As, deviceToken: string) =>
    call('PUT /api/notifications/device-token', { as, body: { deviceToken } }),
  unregisterDevice: (as: As, deviceToken: string) =>
    call('DELETE /api/notifications/unregister-device', { as, body: { deviceToken } }),
  requestPasswordReset: (email: string) =>
    call('POST /api/auth/request-password-reset', { body: { email } }),
  resetPassword: (token: string, password: string) =>
    call('POST /api/auth/reset-password', { body: { token, password } }),
  completeRegistration: (token: string, password: string, email: string) =>
    call('POST /api/auth/complete-registration', { body: { token, password, email } }),
});
