/** The device's own stages in words. No markup. */
import {
  isWarning,
  PLACES,
  type PhoneFault,
  type PhoneStage,
  type Place,
} from '../../../state/reach/phone';
import { exactTime, type CourseStep } from './steps';

/** Titles if a stage is good, and if it is not. */
const TITLES: Record<Place, [string, string]> = {
  permission: ['Notifications are allowed', 'Notifications are not allowed'],
  installed: ['Fieldbell is installed', 'Fieldbell is not installed'],
  storage: ['Its storage is kept', 'Its storage may be cleared'],
  worker: ['Fieldbell works in the background', 'Fieldbell does not work in the background'],
  subscription: ['Registered with the server', 'Not registered with the server'],
};

const REMEDIES: Record<PhoneFault, string> = {
  unsupported:
    'This browser cannot be notified. On an iPhone, add Fieldbell to the Home Screen and open it there.',
  blocked: 'Allow them in the browser’s settings for this site, then test again.',
  undecided: 'Test again, and allow them when your browser asks.',
  tab: 'Install it, so that the phone’s settings treat it as an app of its own.',
  unkept:
    'Install Fieldbell, or allow it when your browser asks: else it may go when room runs out.',
  gone: 'Something has removed that part. Close Fieldbell, open it again, then test again.',
  dead: 'Close Fieldbell in all its windows, open it again, then test again.',
  missing: 'The browser had no push subscription. It has one again now: test again.',
  other: 'The server knew another subscription. It has the present one now: test again.',
  refused: 'The server did not take it. Test again in a while.',
  unknown: 'The server could not be asked. Test again in a while.',
};

export const remedy = ({ fault, reason }: PhoneStage): string =>
  reason || (fault ? REMEDIES[fault] : '');

/** All five stages, including those not checked yet. */
export const phoneSteps = (stages: readonly PhoneStage[], checking: boolean): CourseStep[] =>
  PLACES.map((place, index) => {
    const stage = stages[index];
    const [good, bad] = TITLES[place];
    if (!stage)
      return checking && index === stages.length
        ? { title: good, text: 'Looking', current: true }
        : { title: good, text: checking ? 'Not yet' : 'Not reached' };
    const time = exactTime(stage.at);
    return stage.fault
      ? { title: bad, text: `${time} · ${remedy(stage)}`, tone: isWarning(stage) ? 'warn' : 'bad' }
      : { title: good, text: time, tone: 'ok' };
  });
