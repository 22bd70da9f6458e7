import { rateLimitAddress } from './client-address';

interface BodyLimits {
  maxForAddress: number;
  max: number;
}

/** A body is small and comes in one piece, so an office behind one address stays far below. */
export const bodyLimits: BodyLimits = { maxForAddress: 32, max: 512 };

/** Lighter than an `AbortController`. */
export interface CutSignal {
  isCut: boolean;
  onCut: (() => void) | undefined;
}

interface BodyInProgress extends CutSignal {
  block: string;
}

/** At the limit, the server cuts off the oldest body, whose sender is slow. */
type RunWithBodyLimits = <Result>(
  address: string,
  work: (cut: CutSignal) => Promise<Result>,
) => Promise<Result>;

export function limitBodies(limits: BodyLimits): RunWithBodyLimits {
  const bodies = new Set<BodyInProgress>();
  const counts = new Map<string, number>();

  function removeBody(body: BodyInProgress): void {
    if (!bodies.delete(body)) return;
    const remainingCount = (counts.get(body.block) ?? 0) - 1;
    if (remainingCount > 0) counts.set(body.block, remainingCount);
    else counts.delete(body.block);
  }

  function cutOldest(network?: string): void {
    for (const body of bodies) {
      if (network !== undefined && body.block !== network) continue;
      removeBody(body);
      body.isCut = true;
      return body.onCut?.();
    }
  }

  return async (address, work) => {
    const network = rateLimitAddress(address);
    if ((counts.get(network) ?? 0) >= limits.maxForAddress) cutOldest(network);
    else if (bodies.size >= limits.max) cutOldest();
    const body: BodyInProgress = { block: network, isCut: false, onCut: undefined };
    bodies.add(body);
    counts.set(network, (counts.get(network) ?? 0) + 1);
    try {
      return await work(body);
    } finally {
      removeBody(body);
    }
  };
}
