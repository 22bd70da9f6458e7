import { eventually } from '../../support/eventually';
import type { SimulatedDay } from '../day';

/** Runs in the page. */
async function isShown(wanted: string): Promise<boolean> {
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.getNotifications())?.some(({ body }) => body === wanted) ?? false;
}

/** Waits until these devices' browsers show a notification with this text. */
export async function waitForNotification(
  day: SimulatedDay,
  devices: readonly number[],
  text: string,
): Promise<void> {
  for (const workplace of day.workplaces.filter(
    ({ receivesPushes: push, person }) => push && person !== undefined,
  )) {
    const device = await day.deviceAt(workplace);
    if (device === undefined || !devices.includes(device)) continue;
    await workplace.driver.waitUntil(
      isShown,
      `${day.monitor.currentAction}: the notification "${text}"`,
      text,
    );
    day.notificationCount++;
  }
}

/**
 * Sends to everyone reachable until it arrives: Google's stand-in loses pushes while Chromium
 * connects for the first time.
 */
export async function sendUntilAllReceive(day: SimulatedDay): Promise<void> {
  for (const workplace of day.workplaces.filter(({ receivesPushes: push }) => push)) {
    const topic = await day.company.addTopic('Roll call');
    await day.company.subscribe(day.personAt(workplace), topic);
    for (let call = 1, arrived = false; !arrived && call <= 5; call++) {
      const text = `Roll call ${call}`;
      await day.company.sendMessage(topic, text);
      day.expectedData = await day.database.readData();
      day.phones.recordSentMessage(
        day.expectedData
          .listReachedDevices(topic)
          .map((device) => day.expectedData.devices.get(device)!.phone),
        text,
      );
      arrived = await eventually(
        () => workplace.driver.page.evaluate(isShown, text),
        'the roll call',
        3000,
      ).catch(() => false);
    }
  }
}
