import type { SignedInRoute } from '../screens/shell/routing';

/** Only people who may send load these routes. */
export const senderRoutes: readonly SignedInRoute[] = [
  {
    path: '/send',
    right: 'send',
    adminLabel: 'Send',
    icon: 'send',
    inBottomBar: true,
    load: () => import('../screens/send/Send').then((module) => module.Send),
  },
  {
    path: '/sent',
    right: 'send',
    adminLabel: 'Sent messages',
    icon: 'send',
    load: () => import('../screens/send/SentMessages').then((module) => module.SentMessages),
  },
  {
    path: '/sent/:messageId',
    right: 'send',
    adminLabel: 'Sent messages',
    isFullWidth: true,
    load: () =>
      import('../screens/sent/message/SentMessageScreen').then(
        (module) => module.SentMessageScreen,
      ),
  },
  {
    path: '/check-ins',
    right: 'watch',
    adminLabel: 'Check-ins',
    icon: 'clock',
    isFullWidth: true,
    load: () =>
      import('../screens/check-ins/CheckInBoard').then((module) => module.CheckInBoardScreen),
  },
];
