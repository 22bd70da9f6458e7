import type { SignedInRoute } from './signed-in';

/**
 * Routes of auditors, who load no others. Their screens are administrators' screens, read-only
 * here.
 */
export const auditorRoutes: readonly SignedInRoute[] = [
  {
    path: '/admin/messages',
    right: 'audit',
    nav: 'Messages',
    icon: 'inbox',
    list: true,
    load: () => import('../screens/sent/Sent').then((module) => module.Sent),
  },
  {
    path: '/admin/messages/:messageId',
    right: 'audit',
    nav: 'Messages',
    list: true,
    load: () =>
      import('../screens/sent/message/SentMessageScreen').then(
        (module) => module.SentMessageScreen,
      ),
  },
  {
    path: '/admin/reach',
    right: 'audit',
    nav: 'Reach',
    icon: 'shield',
    list: true,
    load: () => import('../screens/reach/ReachBoard').then((module) => module.ReachBoard),
  },
  {
    path: '/admin/insights',
    right: 'audit',
    nav: 'Insights',
    icon: 'chart',
    list: true,
    load: () => import('../screens/insights/Insights').then((module) => module.Insights),
  },
  {
    path: '/admin/audit',
    right: 'audit',
    nav: 'Audit log',
    icon: 'clock',
    list: true,
    load: () => import('../screens/setup/audit/Audit').then((module) => module.Audit),
  },
];
