/** What browsers show of the messages that were sent. */
import { eventually } from '../../support/eventually';
import type { Day } from '../day';

/** Runs in the page: whether a notification that says so is shown. */
async function shows(wanted: string): Promise<boolean> {
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.getNotifications())?.some(({ body }) => body === wanted) ?? false;
}

/** Waits until the browsers among these devices show a notification that says so. */
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
 * Calls everyone who can be reached at a browser until the call is heard: the stand-in for Google's
 * push service loses what it is given while Chromium connects for the first time, which the real
 * one would send again.
 */
export async function callTheRoll(day: Day): Promise<void> {
  for (const seat of day.seats.filter(({ push }) => push)) {
    const topic = await day.company.addTopic('Roll call');
    await day.company.subscribe(day.sitter(seat), topic);
    for (let call = 1, heard = false; !heard && call <= 5; call++) {
      const text = `Roll call ${call}`;
      await day.company.send(topic, text);
      day.books = await day.database.books();
      day.phones.note(
        day.books.reach(topic).map((device) => day.books.devices.get(device)!.phone),
        text,
      );
      heard = await eventually(
        () => seat.hand.page.evaluate(shows, text),
        'the roll call',
        3000,
      ).catch(() => false);
    }
  }
}
