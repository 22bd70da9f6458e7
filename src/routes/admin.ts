import type { SignedInRoute } from '../screens/shell/routing';

/** Only administrators load these routes. */
export const adminRoutes: readonly SignedInRoute[] = [
  {
    path: '/admin',
    access: 'admin',
    adminLabel: 'Dashboard',
    icon: 'grid',
    isFullWidth: true,
    load: () => import('../screens/dashboard/Dashboard').then((module) => module.Dashboard),
  },
  {
    path: '/admin/topics',
    access: 'admin',
    adminLabel: 'Topics',
    icon: 'tag',
    isFullWidth: true,
    load: () => import('../screens/topics/Topics').then((module) => module.Topics),
  },
  {
    path: '/admin/topics/:topicId',
    access: 'admin',
    adminLabel: 'Topics',
    isFullWidth: true,
    load: () => import('../screens/topics/people/TopicScreen').then((module) => module.TopicScreen),
  },
  {
    path: '/admin/topics/:topicId/keys',
    access: 'admin',
    adminLabel: 'Topics',
    load: () => import('../screens/topics/KeysScreen').then((module) => module.KeysScreen),
  },
  {
    path: '/admin/topics/:topicId/heartbeats',
    access: 'admin',
    adminLabel: 'Topics',
    isFullWidth: true,
    load: () =>
      import('../screens/topics/heartbeats/Heartbeats').then((module) => module.Heartbeats),
  },
  {
    path: '/admin/users',
    access: 'admin',
    adminLabel: 'Users',
    icon: 'people',
    isFullWidth: true,
    load: () => import('../screens/users/Users').then((module) => module.Users),
  },
  {
    // `import` and `invitations` share an entry: each entry adds to every administrator's first load.
    path: '/admin/users/:page',
    access: 'admin',
    adminLabel: 'Users',
    load: () => import('../screens/import/Import').then((module) => module.Import),
  },
  {
    path: '/admin/users/:userId/subscriptions',
    access: 'admin',
    adminLabel: 'Users',
    isFullWidth: true,
    load: () =>
      import('../screens/user-subscriptions/UserSubscriptions').then(
        (module) => module.UserSubscriptions,
      ),
  },
  {
    path: '/admin/teams',
    access: 'admin',
    adminLabel: 'Teams',
    icon: 'team',
    isFullWidth: true,
    load: () => import('../screens/teams/Teams').then((module) => module.Teams),
  },
  {
    path: '/admin/teams/:teamId',
    access: 'admin',
    adminLabel: 'Teams',
    isFullWidth: true,
    load: () => import('../screens/teams/TeamScreen').then((module) => module.TeamScreen),
  },
  {
    path: '/admin/messages',
    access: 'admin',
    adminLabel: 'Messages',
    icon: 'inbox',
    isFullWidth: true,
    load: () => import('../screens/sent/Sent').then((module) => module.Sent),
  },
  {
    path: '/admin/messages/new',
    access: 'admin',
    adminLabel: 'Messages',
    load: () => import('../screens/compose/Compose').then((module) => module.Compose),
  },
  {
    path: '/admin/messages/:messageId',
    access: 'admin',
    adminLabel: 'Messages',
    isFullWidth: true,
    load: () =>
      import('../screens/sent/message/SentMessageScreen').then(
        (module) => module.SentMessageScreen,
      ),
  },
  {
    path: '/admin/reach',
    access: 'admin',
    adminLabel: 'Reach',
    icon: 'shield',
    isFullWidth: true,
    load: () => import('../screens/reach/ReachBoard').then((module) => module.ReachBoard),
  },
  {
    path: '/admin/insights',
    access: 'admin',
    adminLabel: 'Insights',
    icon: 'chart',
    isFullWidth: true,
    load: () => import('../screens/insights/Insights').then((module) => module.Insights),
  },
  {
    path: '/admin/check-ins',
    access: 'admin',
    adminLabel: 'Check-ins',
    icon: 'clock',
    isFullWidth: true,
    load: () =>
      import('../screens/check-ins/CheckInBoard').then((module) => module.CheckInBoardScreen),
  },
  {
    path: '/admin/policies',
    access: 'admin',
    adminLabel: 'Setup',
    icon: 'settings',
    isFullWidth: true,
    load: () => import('../screens/setup/Setup').then((module) => module.Setup),
  },
  {
    path: '/admin/webhooks',
    access: 'admin',
    adminLabel: 'Setup',
    isFullWidth: true,
    load: () => import('../screens/setup/Setup').then((module) => module.Setup),
  },
  {
    path: '/admin/audit',
    access: 'admin',
    adminLabel: 'Setup',
    isFullWidth: true,
    load: () => import('../screens/setup/Setup').then((module) => module.Setup),
  },
];
