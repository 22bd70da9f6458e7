/** The device's own stages in words. No markup. */
import {
  isWarning,
  PLACES,
  type PhoneFault,
  type PhoneStage,
  type Place,
} from '../../../state/reach/phone';
import { exactTime, type ShownStage } from './steps';

/** Titles if a stage is good, and if it is not. */
const TITLES: Record<Place, [string, string]> = {
  permission: ['Notifications are allowed', 'Notifications aren’t allowed'],
  installed: ['Fieldbell is installed', 'Fieldbell isn’t installed'],
  storage: ['Storage is kept', 'Storage may be cleared'],
  worker: ['Fieldbell runs in the background', 'Fieldbell doesn’t run in the background'],
  subscription: ['Registered with the server', 'Not registered with the server'],
};

const REMEDIES: Record<PhoneFault, string> = {
  unsupported:
    'This browser can’t receive notifications. On an iPhone, add Fieldbell to the Home Screen and open it there.',
  blocked: 'Allow them in the browser’s settings for this site, then test again.',
  undecided: 'Test again, and allow them when your browser asks.',
  tab: 'Install Fieldbell so the phone treats it as a separate app.',
  unkept:
    'Install Fieldbell, or allow storage when your browser asks. Otherwise the browser may clear it when space runs out.',
  gone: 'Fieldbell’s background part was removed. Close Fieldbell, open it again, then test again.',
  dead: 'Close all windows of Fieldbell, open Fieldbell again, then test again.',
  missing: 'The browser had no push subscription. It has a new one now. Test again.',
  other: 'The server had another push subscription. It has the current one now. Test again.',
  rejected: 'The server didn’t accept it. Test again later.',
  unknown: 'We couldn’t check with the server. Test again later.',
};

export const phoneRemedy = ({ fault, reason }: PhoneStage): string =>
  reason || (fault ? REMEDIES[fault] : '');

/** All five stages, including those not checked yet. */
export const phoneSteps = (stages: readonly PhoneStage[], checking: boolean): ShownStage[] =>
  PLACES.map((place, index) => {
    const stage = stages[index];
    const [good, bad] = TITLES[place];
    if (!stage)
      return checking && index === stages.length
        ? { title: good, text: 'Checking', current: true }
        : { title: good, text: checking ? 'Not checked yet' : 'Not checked' };
    const time = exactTime(stage.at);
    return stage.fault
      ? {
          title: bad,
          text: `${time} · ${phoneRemedy(stage)}`,
          tone: isWarning(stage) ? 'warn' : 'bad',
        }
      : { title: good, text: time, tone: 'ok' };
  });
