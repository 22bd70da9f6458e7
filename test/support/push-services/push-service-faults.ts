/** Faults that a story asks of a push service. */
export interface PushServiceFaults {
  /** Refuses pushes with this status from now on. */
  refuse(status: number): void;
  /** Accepts pushes and holds them back, as for a sleeping phone. */
  hold(): void;
  /** Ends the trouble and sends what was held back. */
  end(): void;
}

/** What a stand-in asks of its trouble. */
interface Troubled {
  trouble: PushServiceFaults;
  /** The status to reject a push with, if any. */
  rejection(): number | undefined;
  /** Sends now, or when the trouble ends. */
  deliver(send: () => void): void;
}

export function createPushServiceFaults(): Troubled {
  let status: number | undefined;
  let heldReplies: (() => void)[] | undefined;
  return {
    trouble: {
      refuse: (code) => void (status = code),
      hold: () => void (heldReplies ??= []),
      end() {
        const waiting = heldReplies ?? [];
        status = heldReplies = undefined;
        for (const send of waiting) send();
      },
    },
    rejection: () => status,
    deliver: (send) => (heldReplies ? void heldReplies.push(send) : send()),
  };
}
