/** The device's own stages in words. No markup. */
import {
  isWarning,
  DEVICE_CHECKS,
  type DeviceFault,
  type DeviceStage,
  type DeviceCheck,
} from '../../../state/reach/device-checks';
import { timeWithSeconds, type ShownStage } from './test-steps';

/** Titles if a stage is good, if it is not, and while that is unknown. */
const CHECK_TITLES: Record<DeviceCheck, [string, string, string]> = {
  permission: ['Notifications are allowed', 'Notifications aren’t allowed', 'Permission'],
  installed: ['Fieldbell is installed', 'Fieldbell isn’t installed', 'Installation'],
  storage: ['The browser keeps the app’s data', 'The browser may delete the app’s data', 'Storage'],
  worker: [
    'Fieldbell runs in the background',
    'Fieldbell doesn’t run in the background',
    'Background service',
  ],
  subscription: ['Registered with the server', 'Not registered with the server', 'Registration'],
};

const FAULT_REMEDIES: Record<DeviceFault, string> = {
  unsupported:
    'This browser can’t receive notifications. On an iPhone, add Fieldbell to the Home Screen and open it there.',
  blocked: 'Allow notifications in the browser’s settings for this site, then test again.',
  undecided: 'Test again, and allow notifications when your browser asks.',
  tab: 'Install Fieldbell so the device treats it as a separate app.',
  clearable:
    'Install Fieldbell, or allow storage when your browser asks. Otherwise the browser may delete the app’s data when space runs low.',
  gone: 'The part of Fieldbell that runs in the background is missing. Close Fieldbell, open it again, then test again.',
  dead: 'Close Fieldbell everywhere on this device, also in browser tabs. Open it again, then test again.',
  missing: 'This device wasn’t registered for notifications. It is now. Test again.',
  other:
    'The server had a different registration for this device. It’s up to date now. Test again.',
  rejected:
    'The server didn’t accept this device’s registration. Test again. If that doesn’t help, tell your administrator.',
  unknown: 'We couldn’t reach the server to check the registration. Test again in a few minutes.',
};

export const phoneRemedy = ({ fault, reason }: DeviceStage): string =>
  reason || (fault ? FAULT_REMEDIES[fault] : '');

/** Lists all five stages, including unchecked stages. */
export const phoneSteps = (stages: readonly DeviceStage[], checking: boolean): ShownStage[] =>
  DEVICE_CHECKS.map((check, index) => {
    const stage = stages[index];
    const [goodTitle, badTitle, title] = CHECK_TITLES[check];
    if (!stage)
      return checking && index === stages.length
        ? { title, text: 'Checking', current: true }
        : { title, text: checking ? 'Not checked yet' : 'Not checked' };
    const time = timeWithSeconds(stage.at);
    return stage.fault
      ? {
          title: stage.fault === 'unknown' ? 'Registration not checked' : badTitle,
          text: `${time} · ${phoneRemedy(stage)}`,
          tone: isWarning(stage) ? 'warn' : 'bad',
        }
      : { title: goodTitle, text: time, tone: 'ok' };
  });
