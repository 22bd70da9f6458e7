// How each make restricts background apps, and where its settings are; asterisks mark names of
// settings. Facts from https://dontkillmyapp.com (Urbandroid Team, CC BY 4.0), which the screen
// credits, and from the makers' support pages (Samsung, Apple, Google, Mozilla), in our own words.
import type { Make } from '../../../state/reach/phone-makes';

/** `keepAwakeSteps`: the make's settings for background apps. */
interface MakeAdvice {
  /** The make's name in `On … it is most often this`. */
  name: string;
  title: string;
  keepAwakeSteps: (browser: string) => string[];
  /** Steps against late messages, if other steps help. */
  lateSteps?: string[];
}

export const ADVICE_BY_MAKE: Record<Make, MakeAdvice> = {
  Samsung: {
    name: 'a Samsung',
    title: 'Samsung puts Fieldbell to sleep',
    keepAwakeSteps: (browser) => [
      'Open *Settings*, then *Battery*, then *Background usage limits*.',
      'Tap *Never auto sleeping apps*, then *+*.',
      `Choose *Fieldbell* and *${browser}*, then *Add*.`,
    ],
    lateSteps: [
      'Open *Settings*, then *Battery*, and turn off *Power saving*.',
      'Under *Background usage limits*, add Fieldbell to *Never auto sleeping apps*.',
    ],
  },
  Xiaomi: {
    name: 'a Xiaomi',
    title: 'Xiaomi stops apps in the background',
    keepAwakeSteps: (browser) => [
      `Open *Settings*, then *Apps*, then *Manage apps*, and choose *${browser}*.`,
      'Turn on *Autostart*. On some phones it’s under *App permissions*, as *Background autostart*.',
      'Tap *Battery saver*, then *No restrictions*.',
      'Do the same for *Fieldbell* if it’s in the list.',
    ],
  },
  Huawei: {
    name: 'a Huawei',
    title: 'Huawei limits which apps may run in the background',
    keepAwakeSteps: (browser) => [
      'Open *Settings*, then *Battery*, then *App launch*.',
      `Find *${browser}* and turn off *Manage automatically*.`,
      'Keep all three switches turned on, especially *Run in background*.',
      'Do the same for *Fieldbell* if it’s in the list.',
    ],
  },
  OnePlus: {
    name: 'a OnePlus',
    title: 'OnePlus stops apps to save battery',
    keepAwakeSteps: (browser) => [
      `Open *Settings*, then *Battery*, then *Battery optimization*, and set *${browser}* to *Don’t optimize*.`,
      'In that page’s menu, under *Advanced optimization*, turn off *Sleep standby optimization*. It cuts the network at night.',
      'Open the recent apps, touch and hold Fieldbell, and tap *Lock*. Otherwise the phone may undo these settings.',
    ],
  },
  Oppo: {
    name: 'an Oppo',
    title: 'Oppo stops apps from starting in the background',
    keepAwakeSteps: (browser) => [
      `Open *Settings*, then *App management*, and choose *${browser}*.`,
      'Turn on *Allow Auto Startup*.',
      `Tap *Battery usage* and allow *${browser}* to run in the background.`,
      'Do the same for *Fieldbell* if it’s in the list.',
    ],
  },
  Vivo: {
    name: 'a Vivo',
    title: 'Vivo stops apps from starting in the background',
    keepAwakeSteps: (browser) => [
      `Open *Settings*, then *More settings*, then *Applications*, then *Autostart*, and turn on *${browser}*.`,
      `Open *Settings*, then *Battery*, then *Background power consumption management*, and allow *${browser}* to use more power in the background.`,
    ],
  },
  Asus: {
    name: 'an Asus',
    title: 'Asus PowerMaster closes apps',
    keepAwakeSteps: () => [
      'Open *Mobile Manager*, then *PowerMaster*, then its settings.',
      'Turn off *Clean up in suspend*.',
      'Turn off *Auto-deny apps from auto starting*.',
    ],
  },
  Nokia: {
    name: 'a Nokia',
    title: 'The phone may stop apps to save battery',
    keepAwakeSteps: (browser) => [
      `Open *Settings*, then *Apps*, then *${browser}*, then *Battery*, and choose *Unrestricted* or *Don’t optimize*.`,
      'On a phone from before 2019, open *Settings*, then *Apps*, show system apps too, choose *Power saver* and tap *Force stop*. That app restarts after a while, so you may need to repeat this.',
    ],
  },
  Sony: {
    name: 'a Sony',
    title: 'STAMINA mode stops apps',
    keepAwakeSteps: (browser) => [
      'Open *Settings*, then *Battery*. Turn off *STAMINA mode*, or choose a level other than *Prefer battery time*.',
      `Open *Settings*, then *Apps*, then *Special app access*, then *Power saving feature*, and set *${browser}* to *Excepted*.`,
    ],
  },
  Android: {
    name: 'an Android phone',
    title: 'The phone may stop apps to save battery',
    keepAwakeSteps: (browser) => [
      `Open *Settings*, then *Apps*, then *${browser}*, then *Battery*.`,
      'Choose *Unrestricted*. On older phones: *Battery optimization*, then *Don’t optimize*.',
      'Do the same for *Fieldbell* if it’s in the list.',
    ],
  },
  iPhone: {
    name: 'an iPhone',
    title: 'The iPhone may delay notifications',
    keepAwakeSteps: () => [
      'Open *Settings*, then *Notifications*, then *Fieldbell*, and turn on *Allow Notifications*.',
      'Under *Scheduled Summary*, remove Fieldbell or choose *Immediate Delivery*.',
      'Open *Settings*, then *Battery*, and turn off *Low Power Mode*.',
    ],
  },
  Chrome: {
    name: 'a computer',
    title: 'The browser was closed',
    keepAwakeSteps: () => [
      'Nothing arrives while the browser is closed. Keep it open. You can minimize it.',
      'In Chrome, open *Settings*, then *System*, and turn on *Continue running background apps when Google Chrome is closed*. In Edge, it’s under *System and performance*.',
      'A sleeping computer receives nothing until it wakes up.',
    ],
  },
  Firefox: {
    name: 'a computer with Firefox',
    title: 'Firefox was closed',
    keepAwakeSteps: () => [
      'Firefox receives messages only while it’s open. Keep a window open. You can minimize it.',
      'A sleeping computer receives nothing until it wakes up.',
    ],
  },
};
