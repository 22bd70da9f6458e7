/** What administrators do with users and their subscriptions. */
import * as v from 'valibot';
import type { AccountCalls } from '../../../src/shared/contract';
import { idOf } from '../call';
import type { Area } from '../call';
import { paging } from '../parameters';
import { admin, pending, technician } from '../samples';
import { user } from '../../../src/shared/contract/accounts';
import { done, page, uri } from '../shapes/common';

const ofUser = { id: idOf('user', technician.id) };

export const userCalls = {
  'GET /api/admin/users': {
    does: 'List users',
    query: paging('in names and e-mail addresses'),
    shape: v.object({ users: v.array(user), ...page }),
    answer: { users: [technician, admin], total: 2, page: 1, limit: 10 },
  },
  'POST /api/admin/users': {
    does: 'Add a user',
    more: 'They are PENDING until somebody opens the link and sets a password.',
    body: { username: 'k.meyer', email: 'k.meyer@northgrid.example', role: 'TECHNICIAN' },
    isRepeatable: true,
    shape: v.object({ user, registrationLink: uri }),
    answer: {
      user: { ...pending, id: 6, username: 'k.meyer', email: 'k.meyer@northgrid.example' },
      registrationLink: `https://bell.example/register/${pending.registrationToken ?? ''}`,
    },
    refusals: { 409: 'The username or the e-mail address is taken.' },
  },
  'GET /api/admin/users/:id': {
    does: 'Read a user',
    params: ofUser,
    shape: user,
    answer: technician,
  },
  'PUT /api/admin/users/:id/role': {
    does: 'Change a role',
    params: { id: idOf('user', pending.id) },
    body: { role: 'TECHNICIAN' },
    shape: user,
    answer: { ...pending, role: 'TECHNICIAN' },
    refusals: { 409: 'The last administrator stays one.' },
  },
  'DELETE /api/admin/users/:id': {
    does: 'Delete a user',
    params: { id: idOf('user', pending.id) },
    shape: done,
    answer: { message: 'The user was deleted.' },
    refusals: { 409: 'The last administrator stays.' },
  },
} satisfies Partial<Area<AccountCalls>>;
