/** Plays an import, so that the demo stays unchanged. */
import type { TourScreen } from './tour';

const ROWS_FIELD = 'People, one per line:';
const VALID_ROWS = [
  'username,email,role,topics',
  'm.lopez,m.lopez@northgrid.example,technician,Storm and flood warnings',
  'j.ode,j.ode@northgrid.example,technician,',
  'h.ito,,technician,',
].join('\n');
const FAULTY_ROWS = `${VALID_ROWS}\ns.berg,s.berg@northgrid.example,techncian,Storm and flod warnings`;

const importScreen = (name: string, ...steps: NonNullable<TourScreen['steps']>): TourScreen => ({
  name: `import${name}`,
  path: '/admin/users/import',
  as: 'admin',
  steps,
});

export const IMPORT_SCREENS: TourScreen[] = [
  importScreen(''),
  importScreen('-checked', { field: ROWS_FIELD, text: VALID_ROWS }, 'Check'),
  importScreen('-faulty', { field: ROWS_FIELD, text: FAULTY_ROWS }, 'Check'),
  importScreen('-refused', { field: ROWS_FIELD, text: 'm.lopez' }, 'Check'),
  importScreen(
    '-done',
    fakeImport,
    { field: ROWS_FIELD, text: VALID_ROWS },
    'Check',
    'Add 4 users',
  ),
  { name: 'invitations', path: '/admin/users/invitations', as: 'admin' },
  {
    name: 'invitations-none',
    path: '/admin/users',
    as: 'admin',
    steps: [fakeImport, 'Add many users', goToInvitations],
  },
];

/** Four people imported, one link opened, no one left. Runs in the page. */
function fakeImport(): void {
  const { fetch } = window;
  const now = new Date().toISOString();
  const person = (id: number, username: string, mail: string) => ({
    id,
    username,
    email: mail === 'none' ? null : `${username}@northgrid.example`,
    registrationLink: `${location.origin}/register/4fJ2kD93mZpQx7RtY2vBnL5wHs8cJfGa1eUo${id}x9Qa`,
    expiresAt: now,
    mail,
    openedAt: null,
    importedAt: now,
  });
  const links = [
    person(1, 'h.ito', 'none'),
    person(2, 'm.lopez', 'sent'),
    { ...person(3, 'j.ode', 'sent'), openedAt: now },
    person(4, 'maximiliane.von-der-heide', 'failed'),
  ];
  const imported = { rows: 7, created: 4, subscribed: 6, unchanged: 0, errors: [], links };
  const page = { total: 0, page: 1, limit: 100, pending: 0, withoutEmail: 0 };
  const newest = {
    importedAt: now,
    people: 4,
    registered: 1,
    mails: { waiting: 0, sent: 2, failed: 1 },
  };
  window.fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input), location.href);
    if (pathname.endsWith('/import')) return Response.json(imported);
    if (pathname.endsWith('/invitations'))
      return Response.json({
        ...page,
        invitations: search.includes('ids') ? links : [],
        newest,
      });
    return fetch(input, init);
  };
}

/** Goes to the screen without a reload. Runs in the page. */
function goToInvitations(): void {
  history.pushState(null, '', '/admin/users/invitations');
}
