/** The bodies of policies, and how other bodies name one. */
import * as v from 'valibot';
import { cleanText, requiredLine, rowId } from '../../src/shared/contract/fields';

const MAX_STEPS = 8;
const SECONDS = { least: 60, most: 86_400 };
const AFTER = 'A step must come 1 minute to 24 hours after the sending.';

const step = v.object({
  after: v.pipe(
    v.number(),
    v.safeInteger('After must be a whole number of seconds.'),
    v.minValue(SECONDS.least, AFTER),
    v.maxValue(SECONDS.most, AFTER),
  ),
  action: v.picklist(['repeat', 'mail', 'webhook', 'notify']),
  topicId: v.exactOptional(rowId('Topic')),
  url: v.exactOptional(
    v.pipe(cleanText('Address'), v.maxLength(2000, 'Address must have at most 2,000 characters.')),
  ),
});

export const policyFields = v.object({
  name: requiredLine('Name', 100),
  quorum: v.exactOptional(
    v.nullable(
      v.pipe(
        v.number(),
        v.safeInteger('How many have to answer must be a whole number.'),
        v.minValue(1, 'At least one person has to answer.'),
        v.maxValue(1_000_000, 'At most 1,000,000 people can be asked for.'),
      ),
    ),
  ),
  steps: v.pipe(
    // Counted first: a body has room for many thousands, each with a fault of its own.
    v.array(v.unknown()),
    v.minLength(1, 'A policy needs at least one step.'),
    v.maxLength(MAX_STEPS, `A policy can have at most ${MAX_STEPS} steps.`),
    v.array(step),
  ),
});
