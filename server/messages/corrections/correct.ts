/** Corrections: a new text in the same entry and notification of a message. */
import type { Transaction } from 'kysely';
import type { Body, NewTranslations } from '../../../src/shared/contract';
import { foldCase } from '../../../src/shared/case-fold';
import { LANGUAGE_CODES } from '../../../src/shared/languages';
import { recordAudit } from '../../audit/record-audit';
import type { MessageRow, Tables } from '../../db/schema';
import { restartEscalation } from '../../escalation/plan-steps';
import { conflictError } from '../../http/errors';
import { readTranslations, storeTranslations } from '../../translation/message-translations';
import { toTime } from '../../lib/clock';
import { auditTargetOfRow } from '../audit-target';
import { requireLockedMessage } from '../lock-message';
import { addMessageEvent } from '../message-event';
import { joinMessageTexts } from '../step-texts';
import { requireMatchingAnswers } from '../sending/matching-answers';
import { lockStepMessages, requireNoOpenAlarm } from './alarms-of-check-in';
import { isCorrectable, requireCorrectable } from './require-not-ended';
import { readFormerTexts, readUnsentTexts } from './former-texts';
import { sendRevision } from './revise';

type Correction = Body<'POST /api/admin/messages/:id/correct'>;

/** More corrections would only confuse. The limit bounds what a message stores. */
const MAX_REVISIONS_PER_MESSAGE = 20;

/**
 * Also corrects what the message's policy sent to other topics.
 * @throws HttpError 400, 404, 409
 */
export async function correctMessage(
  id: string,
  { ask, ...newTexts }: Correction,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const message = await requireLockedMessage(id, transaction);
  requireCorrectable(message, now);
  await requireNoOpenAlarm(id, transaction);
  const texts = buildTextColumns(message, newTexts);
  const isSameText =
    texts.title === message.title &&
    texts.text === message.text &&
    texts.translations === message.translations;
  // A repeated request must not notify everyone twice.
  if (isSameText && (!ask || message.asked_revision === message.revision)) return;
  const target = auditTargetOfRow(message);
  const keys = searchKeys(message, { ...newTexts, title: texts.title ?? '' });
  const updateMessage = (values: Partial<MessageRow>) =>
    transaction
      .updateTable('messages')
      .set({ ...texts, ...keys, ...values })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
  const isUnsent = message.state === 'scheduled';
  const unsentTexts = readUnsentTexts(message);
  if ((isUnsent ? unsentTexts.length + 1 : message.revision) >= MAX_REVISIONS_PER_MESSAGE)
    throw conflictError(
      'This message has reached its limit of corrections. Send a new message instead.',
    );
  if (isUnsent) {
    // No one received the earlier text, but the audit log shows it.
    const unsentText = { title: message.title, text: message.text, until: now };
    await updateMessage({ unsent: JSON.stringify([...unsentTexts, unsentText]) });
    await recordAudit(
      { action: 'message.correct', ...target, detail: 'Before the message was sent' },
      transaction,
    );
    return;
  }
  const formerTexts = [
    ...readFormerTexts(message),
    {
      revision: message.revision,
      title: message.title,
      text: message.text,
      translations: message.translations,
      at: message.revised_at ?? message.send_at ?? message.created_at,
    },
  ];
  const revision = message.revision + 1;
  const revisedMessage = await updateMessage({
    revision,
    revised_at: now,
    asked_revision: ask ? revision : message.asked_revision,
    former: JSON.stringify(formerTexts),
  });
  if (ask) await restartEscalation(revisedMessage, transaction, now);
  await sendRevision(revisedMessage, transaction, now);
  const detail = ask ? 'Answers requested again' : 'Answers kept';
  await recordAudit({ action: 'message.correct', ...target, detail }, transaction);
  const eventDetails = { revisedAt: toTime(now), ask };
  await addMessageEvent('message.corrected', id, transaction, now, eventDetails);
  for (const sent of await lockStepMessages(id, transaction))
    if (isCorrectable(sent, now) && sent.revision < MAX_REVISIONS_PER_MESSAGE)
      await correctMessage(
        sent.id,
        { ...joinMessageTexts(revisedMessage), ask: false },
        transaction,
        now,
      );
}

type NewTexts = Omit<Correction, 'ask'>;

function buildTextColumns(
  message: MessageRow,
  { message: text, title, translations = {} }: NewTexts,
): Pick<MessageRow, 'title' | 'text' | 'translations'> {
  const answers = JSON.parse(message.answers) as string[];
  requireMatchingAnswers({ answers, translations });
  const formerTranslations = readTranslations(message.translations);
  const newTranslations: NewTranslations = {};
  for (const language of LANGUAGE_CODES) {
    const ownTranslation = translations[language];
    const translatedAnswers = ownTranslation?.answers ?? formerTranslations[language]?.answers;
    // A new text without a translation is shown as it was written, with the translated answers.
    if (ownTranslation !== undefined || translatedAnswers !== undefined)
      newTranslations[language] = {
        ...(ownTranslation ?? { message: text, ...(title && { title }) }),
        ...(translatedAnswers && { answers: translatedAnswers }),
      };
  }
  return {
    text,
    title: title === undefined ? message.title : title || null,
    translations: storeTranslations(newTranslations),
  };
}

/** A search finds earlier texts, too, if anyone received them. There can be any number of texts. */
function searchKeys(
  { state, search_key, text_key }: MessageRow,
  { message, title = '', translations = {} }: NewTexts,
): Pick<MessageRow, 'search_key' | 'text_key'> {
  const translatedTexts = Object.values(translations).flatMap((translation) => [
    translation.title ?? '',
    translation.message,
  ]);
  const addedText = foldCase([title, message, ...translatedTexts].join('\n'));
  if (state !== 'scheduled' || !search_key.endsWith(text_key))
    return { search_key: `${search_key}\n${addedText}`, text_key: `${text_key}\n${addedText}` };
  // The names of the message's topics and teams come first.
  return {
    search_key: search_key.slice(0, search_key.length - text_key.length) + addedText,
    text_key: addedText,
  };
}
