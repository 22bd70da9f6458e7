import type { SimulatedDay, Workplace } from './day';
import * as field from './actions/field';
import * as lists from './actions/lists';
import { editDeletedRow } from './actions/edit-deleted-row';
import * as switches from './actions/switches';
import * as topics from './actions/topics';
import * as users from './actions/users';

interface Action {
  name: string;
  weight: number;
  /** False if it could not be done now. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most actions can always be done
  act(day: SimulatedDay, workplace: Workplace): Promise<boolean | void>;
}

export const ACTIONS: Record<Workplace['kind'], Action[]> = {
  office: [
    { name: 'walks through the app', weight: 10, act: lists.visitScreens },
    { name: 'goes back and forward', weight: 4, act: lists.backAndForward },
    { name: 'reloads', weight: 3, act: lists.reloadScreen },
    { name: 'searches', weight: 5, act: lists.searchList },
    { name: 'turns pages', weight: 5, act: lists.turnPages },
    { name: 'sorts topics', weight: 4, act: lists.sortTopicList },
    { name: 'filters users', weight: 4, act: lists.filterUsers },
    { name: 'adds a topic', weight: 5, act: topics.addTopic },
    { name: 'edits a topic', weight: 6, act: topics.editTopic },
    { name: 'deletes a topic', weight: 4, act: topics.deleteTopic },
    { name: 'looks at subscribers', weight: 5, act: topics.viewSubscribers },
    { name: 'opens a dialog and thinks better of it', weight: 4, act: topics.openAndCancelDialogs },
    { name: 'sends a message', weight: 12, act: topics.sendMessage },
    { name: 'adds a user', weight: 6, act: users.addUser },
    { name: 'deletes a user', weight: 3, act: users.deleteUser },
    { name: 'changes a role', weight: 4, act: users.changeRole },
    { name: 'subscribes someone', weight: 10, act: users.subscribeUser },
    { name: 'unsubscribes someone', weight: 6, act: users.unsubscribeUser },
    { name: 'meets another administrator at a row', weight: 4, act: editDeletedRow },
    { name: 'stays until the session is over', weight: 1, act: field.expireToken },
  ],
  field: [
    { name: 'leaves the browser to another', weight: 12, act: field.changePerson },
    { name: 'mistypes the password', weight: 1, act: field.tryWrongPassword },
    { name: 'starts again', weight: 6, act: field.refreshScreen },
    { name: 'flips a switch', weight: 25, act: switches.switchTopic },
    { name: 'taps a switch many times', weight: 10, act: switches.toggleRepeatedly },
    {
      name: 'taps a switch of a topic that was taken away',
      weight: 3,
      act: switches.toggleRemovedTopic,
    },
    { name: 'gives all devices the same settings', weight: 5, act: switches.applyToAll },
    { name: 'takes the permission back and gives it again', weight: 3, act: field.revokeAndEnable },
    { name: 'stays until the session is over', weight: 2, act: field.expireToken },
    { name: 'starts without a network', weight: 3, act: field.startOffline },
    { name: 'resets the app', weight: 1, act: field.resetAppOnPhone },
    { name: 'uses a phone elsewhere', weight: 4, act: field.useAPhone },
  ],
};
