/** Limits connections, and closes the longest idle one when there are too many. */
import type { Server } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import { connectionLimitAddress } from './client-address';

export interface ClientLimits {
  maxConnections: number;
  /** The limit for one address (an IPv6 customer's /64). Trusted proxies are exempt. */
  maxForAddress: number;
}

interface Connections {
  setBusy(socket: Socket, busy: boolean): void;
  /** Closes each connection as soon as the connection has no request under way. */
  end(): void;
}

/** Connections of one address, or of all. A set keeps its order: the first is idle the longest. */
interface ConnectionGroup {
  size: number;
  idle: Set<Socket>;
}

const createGroup = (): ConnectionGroup => ({ size: 0, idle: new Set() });

/** At a limit, the longest idle connection is closed, so an office behind one address works. */
export function limitConnections(
  server: Server,
  limits: ClientLimits,
  trustedProxies: BlockList,
): Connections {
  const allConnections = createGroup();
  const addresses = new Map<string, ConnectionGroup>();
  const groups = new Map<Socket, ConnectionGroup[]>();
  let ending = false;

  function addConnection(socket: Socket, network: string | undefined): void {
    const ownGroup = network === undefined ? undefined : (addresses.get(network) ?? createGroup());
    if (network !== undefined && ownGroup !== undefined) addresses.set(network, ownGroup);
    const memberships = ownGroup === undefined ? [allConnections] : [allConnections, ownGroup];
    groups.set(socket, memberships);
    for (const group of memberships) {
      group.size += 1;
      group.idle.add(socket);
    }
    socket.once('close', () => {
      removeConnection(socket);
      if (network !== undefined && ownGroup?.size === 0 && addresses.get(network) === ownGroup)
        addresses.delete(network);
    });
  }

  /** A cut connection leaves at once: its `close` event comes later. */
  function removeConnection(socket: Socket): void {
    for (const group of groups.get(socket) ?? []) {
      group.size -= 1;
      group.idle.delete(socket);
    }
    groups.delete(socket);
  }

  /** @returns whether there is room, after closing the longest idle connection if needed */
  function hasOrMakesRoom(group: ConnectionGroup | undefined, max: number): boolean {
    if (group === undefined || group.size < max) return true;
    const [longest] = group.idle;
    if (longest === undefined) return false;
    removeConnection(longest);
    longest.destroy();
    return true;
  }

  server.on('connection', (socket: Socket) => {
    const network = connectionLimitAddress(socket.remoteAddress ?? '', trustedProxies);
    const ownGroup = network === undefined ? undefined : addresses.get(network);
    if (
      hasOrMakesRoom(ownGroup, limits.maxForAddress) &&
      hasOrMakesRoom(allConnections, limits.maxConnections)
    )
      addConnection(socket, network);
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
      for (const socket of allConnections.idle) socket.destroy();
    },
  };
}
