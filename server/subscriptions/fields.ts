/** How a body names topics and people. */
import * as v from 'valibot';
import { listOf, rowId } from '../../src/shared/contract/fields';

const idsOf = (name: string, most: number) =>
  v.exactOptional(
    listOf(rowId(name), most, `At most ${most.toLocaleString('en')} ids can be asked for at once.`),
  );

export const audienceFields = { topicIds: idsOf('Topic', 1000), userIds: idsOf('User', 5000) };
