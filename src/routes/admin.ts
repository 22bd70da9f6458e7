import type { SignedInRoute } from './signed-in';

/** Only administrators load these routes. */
export const adminRoutes: readonly SignedInRoute[] = [
  {
    path: '/admin',
    access: 'admin',
    nav: 'Dashboard',
    icon: 'grid',
    list: true,
    load: () => import('../screens/dashboard/Dashboard').then((module) => module.Dashboard),
  },
  {
    path: '/admin/topics',
    access: 'admin',
    nav: 'Topics',
    icon: 'tag',
    list: true,
    load: () => import('../screens/topics/Topics').then((module) => module.Topics),
  },
  {
    path: '/admin/topics/:topicId',
    access: 'admin',
    nav: 'Topics',
    list: true,
    load: () => import('../screens/topics/people/TopicScreen').then((module) => module.TopicScreen),
  },
  {
    path: '/admin/topics/:topicId/keys',
    access: 'admin',
    nav: 'Topics',
    load: () => import('../screens/topics/KeysScreen').then((module) => module.KeysScreen),
  },
  {
    path: '/admin/topics/:topicId/heartbeats',
    access: 'admin',
    nav: 'Topics',
    list: true,
    load: () =>
      import('../screens/topics/heartbeats/Heartbeats').then((module) => module.Heartbeats),
  },
  {
    path: '/admin/users',
    access: 'admin',
    nav: 'Users',
    icon: 'people',
    list: true,
    load: () => import('../screens/users/Users').then((module) => module.Users),
  },
  {
    // `import` and `invitations` share an entry: every administrator's first load carries each one.
    path: '/admin/users/:page',
    access: 'admin',
    nav: 'Users',
    load: () => import('../screens/import/Import').then((module) => module.Import),
  },
  {
    path: '/admin/users/:userId/subscriptions',
    access: 'admin',
    nav: 'Users',
    list: true,
    load: () =>
      import('../screens/user-subscriptions/UserSubscriptions').then(
        (module) => module.UserSubscriptions,
      ),
  },
  {
    path: '/admin/teams',
    access: 'admin',
    nav: 'Teams',
    icon: 'team',
    list: true,
    load: () => import('../screens/teams/Teams').then((module) => module.Teams),
  },
  {
    path: '/admin/teams/:teamId',
    access: 'admin',
    nav: 'Teams',
    list: true,
    load: () => import('../screens/teams/TeamScreen').then((module) => module.TeamScreen),
  },
  {
    path: '/admin/messages',
    access: 'admin',
    nav: 'Messages',
    icon: 'inbox',
    list: true,
    load: () => import('../screens/sent/Sent').then((module) => module.Sent),
  },
  {
    path: '/admin/messages/new',
    access: 'admin',
    nav: 'Messages',
    load: () => import('../screens/compose/Compose').then((module) => module.Compose),
  },
  {
    path: '/admin/messages/:messageId',
    access: 'admin',
    nav: 'Messages',
    list: true,
    load: () =>
      import('../screens/sent/message/SentMessageScreen').then(
        (module) => module.SentMessageScreen,
      ),
  },
  {
    path: '/admin/reach',
    access: 'admin',
    nav: 'Reach',
    icon: 'shield',
    list: true,
    load: () => import('../screens/reach/ReachBoard').then((module) => module.ReachBoard),
  },
  {
    path: '/admin/insights',
    access: 'admin',
    nav: 'Insights',
    icon: 'chart',
    list: true,
    load: () => import('../screens/insights/Insights').then((module) => module.Insights),
  },
  {
    path: '/admin/check-ins',
    access: 'admin',
    nav: 'Check-ins',
    icon: 'clock',
    list: true,
    load: () =>
      import('../screens/check-ins/CheckInBoard').then((module) => module.CheckInBoardScreen),
  },
  {
    path: '/admin/policies',
    access: 'admin',
    nav: 'Setup',
    icon: 'settings',
    list: true,
    load: () => import('../screens/setup/Setup').then((module) => module.Setup),
  },
  {
    path: '/admin/webhooks',
    access: 'admin',
    nav: 'Setup',
    list: true,
    load: () => import('../screens/setup/Setup').then((module) => module.Setup),
  },
  {
    path: '/admin/audit',
    access: 'admin',
    nav: 'Setup',
    list: true,
    load: () => import('../screens/setup/Setup').then((module) => module.Setup),
  },
];
