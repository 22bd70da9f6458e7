/** A half-typed correction: it survives a reload, until it is sent or closed, or the person signs out. */
import type { NewTranslations, SentMessage } from '../../shared/contract';
import { matchesExample } from '../../api/matches-example';
import { readStored, writeStored } from '../../platform/storage/storage';
import { sessionClaims, CORRECTION_STORAGE_KEY } from '../session';

export interface CorrectionDraft {
  title: string;
  text: string;
  translations?: NewTranslations | undefined;
  asksAgain: boolean;
}

const EXAMPLE = { of: '', draft: { title: '', text: '', asksAgain: false } };

/** The person and the text that the draft corrects: a draft of an earlier text would undo the later. */
const draftOwner = ({ id, revision }: SentMessage): string =>
  [sessionClaims.peek()?.id, id, revision].join();

export function readCorrectionDraft(message: SentMessage): CorrectionDraft | undefined {
  try {
    const stored: unknown = JSON.parse(readStored(CORRECTION_STORAGE_KEY) ?? '');
    if (!matchesExample(stored, EXAMPLE)) return undefined;
    const { of, draft } = stored as { of: string; draft: CorrectionDraft };
    return of === draftOwner(message) ? draft : undefined;
  } catch {
    return undefined;
  }
}

export function storeCorrectionDraft(message: SentMessage, draft: CorrectionDraft): void {
  writeStored(CORRECTION_STORAGE_KEY, JSON.stringify({ of: draftOwner(message), draft }));
}

export function deleteCorrectionDraft(): void {
  writeStored(CORRECTION_STORAGE_KEY, null);
}
