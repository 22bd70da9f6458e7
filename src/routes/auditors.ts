import type { SignedInRoute } from '../screens/shell/routing';

/**
 * Routes of auditors, who load no others. Their screens are administrators' screens, read-only
 * here.
 */
export const auditorRoutes: readonly SignedInRoute[] = [
  {
    path: '/admin/messages',
    right: 'audit',
    adminLabel: 'Messages',
    icon: 'inbox',
    isFullWidth: true,
    load: () => import('../screens/sent/Sent').then((module) => module.Sent),
  },
  {
    path: '/admin/messages/:messageId',
    right: 'audit',
    adminLabel: 'Messages',
    isFullWidth: true,
    load: () =>
      import('../screens/sent/message/SentMessageScreen').then(
        (module) => module.SentMessageScreen,
      ),
  },
  {
    path: '/admin/reach',
    right: 'audit',
    adminLabel: 'Reach',
    icon: 'shield',
    isFullWidth: true,
    load: () => import('../screens/reach/ReachBoard').then((module) => module.ReachBoard),
  },
  {
    path: '/admin/insights',
    right: 'audit',
    adminLabel: 'Insights',
    icon: 'chart',
    isFullWidth: true,
    load: () => import('../screens/insights/Insights').then((module) => module.Insights),
  },
  {
    path: '/admin/audit',
    right: 'audit',
    adminLabel: 'Audit log',
    icon: 'clock',
    isFullWidth: true,
    load: () => import('../screens/setup/audit/Audit').then((module) => module.Audit),
  },
];
