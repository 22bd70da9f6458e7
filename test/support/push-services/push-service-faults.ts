/** Faults that a story causes in a push service. */
export interface PushServiceFaults {
  /** Refuses pushes with this status from now on. */
  rejectPushes(status: number): void;
  /** Accepts pushes and holds them back, like a push service for a sleeping phone. */
  holdPushes(): void;
  /** Ends the fault, and sends the pushes that were held back. */
  endFault(): void;
}

/** A stand-in asks its fault what to do with each push. */
interface FaultControl {
  faults: PushServiceFaults;
  /** The status to reject a push with, if any. */
  rejection(): number | undefined;
  /** Sends the push now, or when the fault ends. */
  deliver(send: () => void): void;
}

export function createPushServiceFaults(): FaultControl {
  let status: number | undefined;
  let heldReplies: (() => void)[] | undefined;
  return {
    faults: {
      rejectPushes: (code) => void (status = code),
      holdPushes: () => void (heldReplies ??= []),
      endFault() {
        const waiting = heldReplies ?? [];
        status = heldReplies = undefined;
        for (const send of waiting) send();
      },
    },
    rejection: () => status,
    deliver: (send) => (heldReplies ? void heldReplies.push(send) : send()),
  };
}
