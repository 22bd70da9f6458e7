/**
 * A D-Bus session bus with org.freedesktop.Notifications, on which Chromium, headless too, shows
 * notifications and takes a press for a person's:
 * https://specifications.freedesktop.org/notification-spec/latest/protocol.html
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DBUS_CALL,
  DBUS_ERROR,
  readDbusMessage,
  DBUS_RETURN,
  DBUS_SIGNAL,
  writeDbusMessage,
  type DbusFields,
  type DbusMessage,
} from './dbus';

export interface DesktopNotification {
  id: number;
  title: string;
  body: string;
  /** The notification itself is `default`. */
  buttons: { key: string; label: string }[];
}

export interface Desktop {
  /** The DBUS_SESSION_BUS_ADDRESS of one browser. */
  address: string;
  /** The shown notifications, oldest first. */
  listNotifications(): DesktopNotification[];
  /** Presses the button with this label, or the notification itself. */
  pressNotification(id: number, label?: string): void;
  close(): Promise<void>;
}

const BUS_NAME = 'org.freedesktop.DBus';
const NOTIFICATION_SERVICE = 'org.freedesktop.Notifications';
/** The notification service's name on the bus. */
const OWN_BUS_NAME = ':1.0';
const CLOSED_BY_CALL = 3;

/** The signature and values of an answer, or an error's name. */
type Reply = [signature: string, values: unknown[]] | string;

export async function startDesktop(): Promise<Desktop> {
  const folder = await mkdtemp(join(tmpdir(), 'fieldbell-desktop-'));
  const path = join(folder, 'bus');
  const clients = new Map<Socket, string>();
  const tray = new Map<number, DesktopNotification>();
  let [serial, lastClient, lastId] = [0, 0, 0];

  const send = (
    socket: Socket,
    type: number,
    fields: DbusFields,
    ...body: [string?, unknown[]?]
  ) => {
    if (!socket.destroyed) socket.write(writeDbusMessage(type, ++serial, fields, ...body));
  };
  const emit = (member: string, signature: string, values: unknown[]) => {
    const fields = {
      path: '/org/freedesktop/Notifications',
      interface: NOTIFICATION_SERVICE,
      member,
      sender: OWN_BUS_NAME,
    };
    for (const socket of clients.keys()) send(socket, DBUS_SIGNAL, fields, signature, values);
  };

  const services: Record<string, Record<string, (body: unknown[], socket: Socket) => Reply>> = {
    [BUS_NAME]: {
      Hello: (_, socket) => {
        clients.set(socket, `:1.${++lastClient}`);
        return ['s', [clients.get(socket)]];
      },
      AddMatch: () => ['', []],
      RemoveMatch: () => ['', []],
      NameHasOwner: ([name]) => ['b', [name === NOTIFICATION_SERVICE]],
      GetNameOwner: ([name]) =>
        name === NOTIFICATION_SERVICE ? ['s', [OWN_BUS_NAME]] : `${BUS_NAME}.Error.NameHasNoOwner`,
      StartServiceByName: ([name]) =>
        name === NOTIFICATION_SERVICE ? ['u', [2]] : `${BUS_NAME}.Error.ServiceUnknown`,
      ListNames: () => ['as', [[BUS_NAME, NOTIFICATION_SERVICE]]],
      ListActivatableNames: () => ['as', [[NOTIFICATION_SERVICE]]],
      RequestName: () => ['u', [1]],
    },
    [NOTIFICATION_SERVICE]: {
      GetCapabilities: () => ['as', [['actions', 'body', 'persistence']]],
      GetServerInformation: () => ['ssss', ['desktop', 'test', '1', '1.2']],
      Notify: ([, replaces, , title, body, actions]) => {
        const id = Number(replaces) || ++lastId;
        const texts = actions as string[];
        const buttons = texts.flatMap((key, index) =>
          index % 2 === 0 ? [{ key, label: texts[index + 1]! }] : [],
        );
        tray.set(id, { id, title: String(title), body: String(body), buttons });
        return ['u', [id]];
      },
      CloseNotification: ([id]) => {
        if (tray.delete(Number(id))) emit('NotificationClosed', 'uu', [id, CLOSED_BY_CALL]);
        return ['', []];
      },
    },
  };

  function respond(socket: Socket, message: DbusMessage): void {
    const service =
      message.destination === OWN_BUS_NAME ? NOTIFICATION_SERVICE : message.destination;
    const handler = services[String(service)]?.[String(message.member)];
    const reply = handler?.(message.body, socket) ?? `${BUS_NAME}.Error.ServiceUnknown`;
    const fields = {
      replySerial: message.serial,
      destination: clients.get(socket) ?? OWN_BUS_NAME,
      sender: service === BUS_NAME ? BUS_NAME : OWN_BUS_NAME,
    };
    if (typeof reply === 'string')
      send(socket, DBUS_ERROR, { ...fields, errorName: reply }, 's', [reply]);
    else send(socket, DBUS_RETURN, fields, ...reply);
  }

  const server = createServer((socket) => {
    socket.on('error', () => undefined); // the browser is closed
    socket.on('close', () => clients.delete(socket));
    let pending: Buffer = Buffer.alloc(0);
    let hasBegun = false;
    socket.on('data', (data) => {
      pending = Buffer.concat([pending, data]);
      for (let end = 0; !hasBegun && (end = pending.indexOf('\r\n')) >= 0; ) {
        const line = pending.toString('utf8', 0, end).replace('\0', '');
        pending = pending.subarray(end + 2);
        hasBegun = line === 'BEGIN';
        if (!hasBegun) socket.write(`${authenticate(line)}\r\n`);
      }
      for (
        let message: DbusMessage | undefined;
        hasBegun && (message = readDbusMessage(pending));
      ) {
        pending = pending.subarray(message.length);
        if (message.type === DBUS_CALL) respond(socket, message);
      }
    });
  });
  server.listen(path);
  await once(server, 'listening');

  return {
    address: `unix:path=${path}`,
    listNotifications: () => [...tray.values()],
    pressNotification(id, label) {
      const button = tray
        .get(id)
        ?.buttons.find((each) =>
          label === undefined ? each.key === 'default' : each.label === label,
        );
      if (!button) throw new Error(`Notification ${id} has no button "${label ?? ''}"`);
      emit('ActionInvoked', 'us', [id, button.key]);
    },
    async close() {
      for (const socket of clients.keys()) socket.destroy();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function authenticate(line: string): string {
  if (line === 'AUTH') return 'REJECTED EXTERNAL';
  if (line === 'AUTH EXTERNAL') return 'DATA';
  if (line.startsWith('AUTH EXTERNAL ') || line.startsWith('DATA')) return `OK ${'0'.repeat(32)}`;
  return 'ERROR';
}
