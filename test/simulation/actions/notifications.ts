import { eventually } from '../../support/eventually';
import type { Day } from '../day';

/** Runs in the page. */
async function shows(wanted: string): Promise<boolean> {
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.getNotifications())?.some(({ body }) => body === wanted) ?? false;
}

/** Waits until these devices' browsers show a notification with this text. */
export async function seeNotified(
  day: Day,
  devices: readonly number[],
  text: string,
): Promise<void> {
  for (const seat of day.seats.filter(({ push, person }) => push && person !== undefined)) {
    const device = await day.deviceAt(seat);
    if (device === undefined || !devices.includes(device)) continue;
    await seat.hand.until(shows, `${day.watch.doing}: the notification "${text}"`, text);
    day.notifications++;
  }
}

/**
 * Sends to everyone reachable until it arrives: Google's stand-in loses pushes while Chromium
 * connects for the first time.
 */
export async function callTheRoll(day: Day): Promise<void> {
  for (const seat of day.seats.filter(({ push }) => push)) {
    const topic = await day.company.addTopic('Roll call');
    await day.company.subscribe(day.sitter(seat), topic);
    for (let call = 1, arrived = false; !arrived && call <= 5; call++) {
      const text = `Roll call ${call}`;
      await day.company.send(topic, text);
      day.books = await day.database.books();
      day.phones.note(
        day.books.reach(topic).map((device) => day.books.devices.get(device)!.phone),
        text,
      );
      arrived = await eventually(
        () => seat.hand.page.evaluate(shows, text),
        'the roll call',
        3000,
      ).catch(() => false);
    }
  }
}
