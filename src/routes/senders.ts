import type { SignedInRoute } from './signed-in';

/** Only people who may send load these routes. */
export const senderRoutes: readonly SignedInRoute[] = [
  {
    path: '/send',
    right: 'send',
    nav: 'Send',
    icon: 'send',
    inBottomBar: true,
    load: () => import('../screens/send/Send').then((module) => module.Send),
  },
  {
    path: '/sent',
    right: 'send',
    nav: 'Sent messages',
    icon: 'send',
    load: () => import('../screens/send/SentMessages').then((module) => module.SentMessages),
  },
  {
    path: '/sent/:messageId',
    right: 'send',
    nav: 'Sent messages',
    list: true,
    load: () =>
      import('../screens/sent/message/SentMessageScreen').then(
        (module) => module.SentMessageScreen,
      ),
  },
  {
    path: '/check-ins',
    right: 'watch',
    nav: 'Check-ins',
    icon: 'clock',
    list: true,
    load: () =>
      import('../screens/check-ins/CheckInBoard').then((module) => module.CheckInBoardScreen),
  },
];
