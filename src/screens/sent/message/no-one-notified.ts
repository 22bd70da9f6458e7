/** Says why no one was notified again: one person, or several. Loaded on demand, because it is rare. */
export const noOneNotifiedText = (username: string | undefined): string =>
  username
    ? `${username} won’t be notified again. A notification may still be on its way, they may be in quiet hours, or they aren’t reachable.`
    : 'No one will be notified again. Notifications may still be on their way, people may be in quiet hours, or no one is reachable.';
