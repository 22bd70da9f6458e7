/** How a body names topics and people. */
import * as v from 'valibot';
import { jsonReader } from '../http/body';
import { listOf, rowId } from '../lib/fields';

const idsOf = (name: string, most: number) =>
  v.exactOptional(
    listOf(rowId(name), most, `At most ${most.toLocaleString('en')} ids can be asked for at once.`),
  );

export const audienceFields = { topicIds: idsOf('Topic', 1000), userIds: idsOf('User', 5000) };

const MOST_PEOPLE = 10_000;
/** Many people at once. Each id has 16 digits and a comma at most. */
export const peopleReader = jsonReader(
  v.object({
    userIds: listOf(
      rowId('User'),
      MOST_PEOPLE,
      `At most ${MOST_PEOPLE.toLocaleString('en')} people can be changed at once.`,
    ),
  }),
  MOST_PEOPLE * 20,
);
