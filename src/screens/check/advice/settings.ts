// How each make restricts background apps, and where its settings are; asterisks mark names of
// settings. Facts from https://dontkillmyapp.com (Urbandroid Team, CC BY 4.0), which the screen
// credits, and from the makers' support pages (Samsung, Apple, Google, Mozilla), in our own words.
import type { Make } from './makes';

/** `asleep`: the make's settings for background apps. */
interface About {
  /** In `On … it is most often this`. */
  name: string;
  title: string;
  asleep: (browser: string) => string[];
  /** For late messages, if different. */
  late?: string[];
}

export const MAKES: Record<Make, About> = {
  Samsung: {
    name: 'a Samsung',
    title: 'Samsung puts Fieldbell to sleep',
    asleep: (browser) => [
      'Open *Settings*, then *Battery*, then *Background usage limits*.',
      'Tap *Never auto sleeping apps*, then *+*.',
      `Choose *Fieldbell* and *${browser}*, then *Add*.`,
    ],
    late: [
      'Open *Settings*, then *Battery*, and switch *Power saving* off.',
      'Under *Background usage limits*, add Fieldbell to *Never auto sleeping apps*.',
    ],
  },
  Xiaomi: {
    name: 'a Xiaomi',
    title: 'Xiaomi stops apps in the background',
    asleep: (browser) => [
      `Open *Settings*, then *Apps*, then *Manage apps*, and choose *${browser}*.`,
      'Switch *Autostart* on. On some it is under *App permissions*, as *Background autostart*.',
      'Tap *Battery saver*, then *No restrictions*.',
      'Do the same for *Fieldbell* if it is in the list.',
    ],
  },
  Huawei: {
    name: 'a Huawei',
    title: 'Huawei decides which apps may run',
    asleep: (browser) => [
      'Open *Settings*, then *Battery*, then *App launch*.',
      `Find *${browser}* and switch *Manage automatically* off.`,
      'Leave all three switches on that appear, above all *Run in background*.',
      'Do the same for *Fieldbell* if it is in the list.',
    ],
  },
  OnePlus: {
    name: 'a OnePlus',
    title: 'OnePlus optimises apps away',
    asleep: (browser) => [
      `Open *Settings*, then *Battery*, then *Battery optimisation*, and set *${browser}* to *Don’t optimise*.`,
      'In the menu of that page, under *Advanced optimisation*, switch *Sleep standby optimisation* off: it cuts the network at night.',
      'Open the recent apps, hold Fieldbell and tap *Lock*: else the phone may take it back.',
    ],
  },
  Oppo: {
    name: 'an Oppo',
    title: 'Oppo keeps apps from starting',
    asleep: (browser) => [
      `Open *Settings*, then *App management*, and choose *${browser}*.`,
      'Switch *Allow Auto Startup* on.',
      'Tap *Battery usage* and allow it to run in the background.',
      'Do the same for *Fieldbell* if it is in the list.',
    ],
  },
  Vivo: {
    name: 'a Vivo',
    title: 'Vivo keeps apps from starting',
    asleep: (browser) => [
      `Open *Settings*, then *More settings*, then *Applications*, then *Autostart*, and switch *${browser}* on.`,
      `Open *Settings*, then *Battery*, then *Background power consumption management*, and allow *${browser}* to use more.`,
    ],
  },
  Asus: {
    name: 'an Asus',
    title: 'The PowerMaster of Asus clears apps away',
    asleep: () => [
      'Open *Mobile Manager*, then *PowerMaster*, then its settings.',
      'Switch *Clean up in suspend* off.',
      'Switch *Auto-deny apps from auto starting* off.',
    ],
  },
  Nokia: {
    name: 'a Nokia',
    title: 'The battery is spared at the cost of apps',
    asleep: (browser) => [
      `Open *Settings*, then *Apps*, then *${browser}*, then *Battery*, and choose *Unrestricted* or *Don’t optimise*.`,
      'On a phone older than 2019: among all apps, with those of the system, stop the one called *Power saver*. It returns after a while.',
    ],
  },
  Sony: {
    name: 'a Sony',
    title: 'STAMINA mode stops apps',
    asleep: (browser) => [
      'Open *Settings*, then *Battery*, and switch *STAMINA mode* off, or choose a level other than *Prefer battery time*.',
      `Open *Apps*, then *Special app access*, then *Power saving feature*, and set *${browser}* to *Excepted*.`,
    ],
  },
  Android: {
    name: 'an Android phone',
    title: 'The battery is spared at the cost of apps',
    asleep: (browser) => [
      `Open *Settings*, then *Apps*, then *${browser}*, then *Battery*.`,
      'Choose *Unrestricted*. On older phones: *Battery optimisation*, then *Don’t optimise*.',
      'Do the same for *Fieldbell* if it is in the list.',
    ],
  },
  iPhone: {
    name: 'an iPhone',
    title: 'The iPhone keeps notifications for later',
    asleep: () => [
      'Open *Settings*, then *Notifications*, then *Fieldbell*, and switch *Allow Notifications* on.',
      'Under *Scheduled Summary*, take Fieldbell out, or choose *Immediate Delivery*.',
      'Under *Settings*, then *Battery*, switch *Low Power Mode* off.',
    ],
  },
  Chrome: {
    name: 'a computer',
    title: 'The browser is closed',
    asleep: () => [
      'Nothing arrives while the browser does not run: leave it open, minimised is enough.',
      'In Chrome open *Settings*, then *System*, and switch *Continue running background apps when Google Chrome is closed* on. Edge has the same under *System and performance*.',
      'A computer that sleeps receives nothing until it wakes up.',
    ],
  },
  Firefox: {
    name: 'a computer with Firefox',
    title: 'Firefox is closed',
    asleep: () => [
      'Firefox receives only while it is open: leave a window open, minimised is enough.',
      'A computer that sleeps receives nothing until it wakes up.',
    ],
  },
};
