/** Advice after a failed test, most likely first. A chunk of its own. */
import { guessMake, type Known, type Make } from './makes';
import { MAKES } from './settings';

/** It did not arrive, came late, was not displayed, or made no sound. */
export type DeliveryProblem = 'missing' | 'late' | 'hidden' | 'silent';

export interface Advice {
  title: string;
  /** A single step is shown without a number. */
  steps: string[];
}

const AGAIN = 'Come back here and test again.';
const SAVING = 'Open *Settings*, then *Battery*, and switch the battery saver off.';

const isComputer = (make: Make): boolean => make === 'Chrome' || make === 'Firefox';

export function adviceFor(make: Make, problem: DeliveryProblem, browser: string): Advice[] {
  if (problem === 'hidden') return [hidden(make, browser)];
  if (problem === 'silent') return silent(make, browser);
  const { name, title, asleep, late } = MAKES[make];
  if (problem === 'late')
    return [
      {
        title: `What helps on ${name} against late messages`,
        steps: late ?? [...(isComputer(make) ? [] : [SAVING]), ...asleep(browser)],
      },
    ];
  return [{ title, steps: [...asleep(browser), AGAIN] }, cutOff(make)];
}

const cutOff = (make: Make): Advice =>
  isComputer(make)
    ? {
        title: 'The network keeps pushes out',
        steps: [
          'Some firewalls and proxies let no push service through. Your administrator can see to that.',
        ],
      }
    : {
        title: 'Data saver or flight mode is on',
        steps: [
          make === 'iPhone'
            ? 'Swipe down from the top right corner. Switch off Flight mode and Focus.'
            : 'Swipe down from the top. Switch off Data saver, Flight mode and Do not disturb.',
        ],
      };

function hidden(make: Make, browser: string): Advice {
  if (isComputer(make))
    return {
      title: 'The computer shows no notifications of the browser',
      steps: [
        'On Windows open *Settings*, then *System*, then *Notifications*; on a Mac *System Settings*, then *Notifications*.',
        'Allow notifications of your browser there, and switch *Do not disturb* off.',
        AGAIN,
      ],
    };
  return {
    title: 'The phone shows no notifications of Fieldbell',
    steps:
      make === 'iPhone'
        ? [
            'Open *Settings*, then *Notifications*, then *Fieldbell*.',
            'Switch *Allow Notifications* on, with *Lock Screen* and *Banners*.',
            AGAIN,
          ]
        : [
            'Open *Settings*, then *Notifications*, then *App notifications*.',
            `Switch *Fieldbell* and *${browser}* on.`,
            AGAIN,
          ],
  };
}

function silent(make: Make, browser: string): Advice[] {
  if (isComputer(make))
    return [
      {
        title: 'The sound is off',
        steps: [
          'Turn the sound of the computer up.',
          'In the system’s settings for notifications allow your browser to play a sound.',
        ],
      },
      { title: 'Do not disturb is on', steps: ['Switch Do not disturb, or Focus, off there.'] },
    ];
  const iPhone = make === 'iPhone';
  return [
    {
      title: 'The sound is off',
      steps: iPhone
        ? [
            'Switch the silent mode off, by the switch or button at the side.',
            'Open *Settings*, then *Notifications*, then *Fieldbell*, and switch *Sounds* on.',
          ]
        : [
            'Press a volume key, open the other volumes and turn *Notifications* up.',
            `Open *Settings*, then *Notifications*, choose *Fieldbell*, or *${browser}*, and set it to *Default*, not to *Silent*.`,
          ],
    },
    {
      title: iPhone ? 'A Focus is on' : 'Do not disturb is on',
      steps: [
        iPhone
          ? 'Open *Settings*, then *Focus*: switch it off, or let Fieldbell through.'
          : 'Swipe down from the top and switch Do not disturb off, or let Fieldbell through in its settings.',
      ],
    },
  ];
}

/** Advice for a phone that receives nothing, as text to paste into a chat. */
export function adviceText(known: Known): string {
  const [{ title, steps } = { title: '', steps: [] }] = adviceFor(
    guessMake(known),
    'missing',
    known.browser || 'your browser',
  );
  const lines = steps
    .map((step) => (step === AGAIN ? 'Open Fieldbell, then Check, and test again.' : step))
    .map((step, index) => `${index + 1}. ${step.replaceAll('*', '')}`);
  return [`${title}:`, ...lines].join('\n');
}
