/** Advice after a failed test, the likeliest first. This is a separate chunk. */
import { guessMake, type ReportedDevice, type Make } from '../../../state/reach/phone-makes';
import { ADVICE_BY_MAKE } from './advice-by-make';

/** The test did not arrive, came late, was not displayed, or made no sound. */
export type DeliveryProblem = 'missing' | 'late' | 'hidden' | 'silent';

export interface Advice {
  title: string;
  /** A single step is shown without a number. */
  steps: string[];
}

const TEST_AGAIN_STEP = 'Come back here and test again.';
const BATTERY_SAVER_STEP = 'Open *Settings*, then *Battery*, and turn off the battery saver.';

export const isComputer = (make: Make): boolean => make === 'Chrome' || make === 'Firefox';

export function findAdvice(make: Make, problem: DeliveryProblem, browser: string): Advice[] {
  if (problem === 'hidden') return [hiddenAdvice(make, browser)];
  if (problem === 'silent') return silentAdvice(make, browser);
  const { name, title, keepAwakeSteps: asleep, lateSteps } = ADVICE_BY_MAKE[make];
  if (problem === 'late')
    return [
      {
        title: `How to avoid late messages on ${name}`,
        steps: lateSteps ?? [...(isComputer(make) ? [] : [BATTERY_SAVER_STEP]), ...asleep(browser)],
      },
    ];
  return [{ title, steps: [...asleep(browser), TEST_AGAIN_STEP] }, blockedNetworkAdvice(make)];
}

const blockedNetworkAdvice = (make: Make): Advice =>
  isComputer(make)
    ? {
        title: 'The network blocks push notifications',
        steps: [
          'Some firewalls and proxies block push services. Ask your administrator to allow push services.',
        ],
      }
    : {
        title:
          make === 'iPhone'
            ? 'Airplane Mode or a Focus may be on'
            : 'Airplane mode or Data Saver may be on',
        steps: [
          make === 'iPhone'
            ? 'Open Control Center. Turn off *Airplane Mode* and *Focus*.'
            : 'Swipe down from the top. Turn off *Airplane mode*, *Data Saver* and *Do Not Disturb*.',
        ],
      };

function hiddenAdvice(make: Make, browser: string): Advice {
  if (isComputer(make))
    return {
      title: 'The computer doesn’t show the browser’s notifications',
      steps: [
        'On Windows, open *Settings*, then *System*, then *Notifications*. On a Mac, open *System Settings*, then *Notifications*.',
        'Allow your browser’s notifications and turn off *Do Not Disturb*.',
        TEST_AGAIN_STEP,
      ],
    };
  return {
    title: 'The phone doesn’t show Fieldbell’s notifications',
    steps:
      make === 'iPhone'
        ? [
            'Open *Settings*, then *Notifications*, then *Fieldbell*.',
            'Turn on *Allow Notifications*, *Lock Screen* and *Banners*.',
            TEST_AGAIN_STEP,
          ]
        : [
            'Open *Settings*, then *Notifications*, then *App notifications*.',
            `Turn on *Fieldbell* and *${browser}*.`,
            TEST_AGAIN_STEP,
          ],
  };
}

function silentAdvice(make: Make, browser: string): Advice[] {
  if (isComputer(make))
    return [
      {
        title: 'The sound is off',
        steps: [
          'Turn up the computer’s volume.',
          'In the system’s notification settings, allow your browser to play a sound.',
        ],
      },
      {
        title: 'Do Not Disturb is on',
        steps: ['Turn off Do Not Disturb or Focus in the system’s settings.'],
      },
    ];
  const isIPhone = make === 'iPhone';
  return [
    {
      title: 'The sound is off',
      steps: isIPhone
        ? [
            'Turn off silent mode with the switch or button on the side.',
            'Open *Settings*, then *Notifications*, then *Fieldbell*, and turn on *Sounds*.',
          ]
        : [
            'Press a volume key. Tap ⋮ or the arrow to see all volumes, and turn up *Notifications*.',
            `Open *Settings*, then *Notifications*. Choose *Fieldbell* or *${browser}*, and set it to *Default* instead of *Silent*.`,
          ],
    },
    {
      title: isIPhone ? 'A Focus is on' : 'Do Not Disturb is on',
      steps: [
        isIPhone
          ? 'Open *Settings*, then *Focus*. Turn off the Focus, or allow Fieldbell in its settings.'
          : 'Swipe down from the top. Turn off Do Not Disturb, or allow Fieldbell in its settings.',
      ],
    },
  ];
}

/** Advice for a phone that receives nothing, as text to paste into a chat. */
export function adviceText(device: ReportedDevice): string {
  const [{ title, steps } = { title: '', steps: [] }] = findAdvice(
    guessMake(device),
    'missing',
    device.browser || 'your browser',
  );
  const lines = steps
    .map((step) =>
      step === TEST_AGAIN_STEP
        ? 'In Fieldbell, open the page “Test” and test your device again.'
        : step,
    )
    .map((step, index) => `${index + 1}. ${step.replaceAll('*', '')}`);
  return [`${title}:`, ...lines].join('\n');
}
