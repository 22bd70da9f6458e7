/** What the database should have and what it has, in the same form. */
import type { Role, UserStatus } from '../../src/shared/contract';

export interface ExpectedAccount {
  username: string;
  email: string | null;
  role: Role;
  status: UserStatus;
}
export interface ExpectedDevice {
  user: number;
  /** The name of the simulated phone; empty if the device is a browser. */
  phone: string;
}
interface SentMessage {
  text: string;
  /** Null once the topic, or the sender, was deleted. */
  topic: number | null;
  sender: number | null;
  devices: number;
}

/** Keys: `USER TOPIC` or `DEVICE TOPIC`. */
export const pairKey = (one: number, other: number): string => `${one} ${other}`;
const splitPairKey = (key: string): [number, number] =>
  key.split(' ').map(Number) as [number, number];

export class ExpectedData {
  users = new Map<number, ExpectedAccount>();
  topics = new Map<number, { title: string; description: string }>();
  subscriptions = new Set<string>();
  preferences = new Map<string, boolean>();
  devices = new Map<number, ExpectedDevice>();
  devicePreferences = new Map<string, boolean>();
  messages = new Map<string, SentMessage>();

  copy(): ExpectedData {
    return Object.assign(new ExpectedData(), structuredClone({ ...this }));
  }

  deleteUser(id: number): void {
    this.users.delete(id);
    for (const [device, { user }] of this.devices) if (user === id) this.deleteDevice(device);
    this.#forget((user) => user === id);
    for (const message of this.messages.values()) if (message.sender === id) message.sender = null;
  }

  deleteTopic(id: number): void {
    this.topics.delete(id);
    this.#forget((_, topic) => topic === id);
    for (const key of this.devicePreferences.keys())
      if (splitPairKey(key)[1] === id) this.devicePreferences.delete(key);
    for (const message of this.messages.values()) if (message.topic === id) message.topic = null;
  }

  #forget(which: (user: number, topic: number) => boolean): void {
    for (const list of [this.subscriptions, this.preferences])
      for (const key of list.keys()) if (which(...splitPairKey(key))) list.delete(key);
  }

  deleteDevice(id: number): void {
    this.devices.delete(id);
    for (const key of this.devicePreferences.keys())
      if (splitPairKey(key)[0] === id) this.devicePreferences.delete(key);
  }

  /** Applies to all devices of the account. */
  setPreference(user: number, topic: number, enabled: boolean): void {
    this.preferences.set(pairKey(user, topic), enabled);
    for (const [id, device] of this.devices)
      if (device.user === user) this.devicePreferences.delete(pairKey(id, topic));
  }

  topicsOf(user: number): number[] {
    return [...this.subscriptions]
      .map(splitPairKey)
      .filter(([one]) => one === user)
      .map(([, topic]) => topic);
  }

  subscribersOf(topic: number): number[] {
    return [...this.subscriptions]
      .map(splitPairKey)
      .filter(([, one]) => one === topic)
      .map(([user]) => user);
  }

  devicesOf(user: number): number[] {
    return [...this.devices].filter(([, device]) => device.user === user).map(([id]) => id);
  }

  /** On this device, or the account's setting without one. */
  isEnabled(user: number, topic: number, device?: number): boolean {
    const devicePreference =
      device === undefined ? undefined : this.devicePreferences.get(pairKey(device, topic));
    return devicePreference ?? this.preferences.get(pairKey(user, topic)) ?? true;
  }

  listReachedDevices(topic: number): number[] {
    return this.subscribersOf(topic).flatMap((user) =>
      this.devicesOf(user).filter((device) => this.isEnabled(user, topic, device)),
    );
  }

  toLines(): Set<string> {
    const list = <Value>(kind: string, map: Map<unknown, Value>) =>
      [...map].map(([key, value]) => `${kind} ${key}: ${JSON.stringify(value)}`);
    return new Set([
      ...list('user', this.users),
      ...list('topic', this.topics),
      ...[...this.subscriptions].map((key) => `subscription ${key}`),
      ...list('preference of', this.preferences),
      ...list('device', this.devices),
      ...list('preference of device', this.devicePreferences),
      ...list('message', this.messages),
    ]);
  }
}

export function listDifferences(expected: ExpectedData, actual: ExpectedData): string[] {
  const [expectedLines, actualLines] = [expected.toLines(), actual.toLines()];
  return [
    ...[...expectedLines]
      .filter((line) => !actualLines.has(line))
      .map((line) => `missing in the database: ${line}`),
    ...[...actualLines]
      .filter((line) => !expectedLines.has(line))
      .map((line) => `only in the database: ${line}`),
  ];
}
