/** How many connections there may be, and which gives way when there are too many. */
import type { Server } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import { connectionBlock } from './address';

export interface ClientLimits {
  /** Of all clients together. */
  maxConnections: number;
  /**
   * Of one address (an IPv6 customer's /64). Trusted proxies, who bring many clients each, may have
   * as many as there are.
   */
  maxForAddress: number;
}

interface Connections {
  /** The connection has a request under way, or has none any more. */
  setBusy(socket: Socket, busy: boolean): void;
  /**
   * Ends every connection without a request under way, now and as soon as its request is answered.
   */
  end(): void;
}

/**
 * Those of one address, or of all. A set keeps the order, so its first has been idle for longest.
 */
interface Group {
  size: number;
  idle: Set<Socket>;
}

const makeGroup = (): Group => ({ size: 0, idle: new Set() });

/**
 * Where there are too many, the connection that is idle for longest gives way to the new one; if all
 * are busy, the new one is refused. A connection is idle before its first request, too. So an
 * office behind one address goes on working.
 */
export function limitConnections(
  server: Server,
  limits: ClientLimits,
  trusted: BlockList,
): Connections {
  const all = makeGroup();
  const addresses = new Map<string, Group>();
  const groups = new Map<Socket, Group[]>();
  let ending = false;

  function enter(socket: Socket, block: string | undefined): void {
    const own = block === undefined ? undefined : (addresses.get(block) ?? makeGroup());
    if (block !== undefined && own !== undefined) addresses.set(block, own);
    const mine = own === undefined ? [all] : [all, own];
    groups.set(socket, mine);
    for (const group of mine) {
      group.size += 1;
      group.idle.add(socket);
    }
    socket.once('close', () => {
      leave(socket);
      if (block !== undefined && own?.size === 0 && addresses.get(block) === own)
        addresses.delete(block);
    });
  }

  /** At once when it is cut, as its end is told later. */
  function leave(socket: Socket): void {
    for (const group of groups.get(socket) ?? []) {
      group.size -= 1;
      group.idle.delete(socket);
    }
    groups.delete(socket);
  }

  /**
   * @returns whether there is room for one more, after the one that has been idle for longest has
   * gone if need be
   */
  function makeRoom(group: Group | undefined, most: number): boolean {
    if (group === undefined || group.size < most) return true;
    const [longest] = group.idle;
    if (longest === undefined) return false;
    leave(longest);
    longest.destroy();
    return true;
  }

  server.on('connection', (socket: Socket) => {
    const block = connectionBlock(socket.remoteAddress ?? '', trusted);
    const own = block === undefined ? undefined : addresses.get(block);
    if (makeRoom(own, limits.maxForAddress) && makeRoom(all, limits.maxConnections))
      enter(socket, block);
    else socket.destroy();
  });

  return {
    setBusy(socket, busy) {
      if (ending && !busy) return void socket.end();
      for (const { idle } of groups.get(socket) ?? []) {
        if (busy) idle.delete(socket);
        else idle.add(socket);
      }
    },
    end() {
      ending = true;
      for (const socket of all.idle) socket.destroy();
    },
  };
}
