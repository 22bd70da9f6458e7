/** The sentences of alarms and all-clears. */
import type { CheckInRow } from '../../db/schema';
import type { TranslateText } from '../../translation/message-translations';

/** Writes times in the person's time zone: those who look for them are near. */
export function createTimeFormatter({
  time_zone,
}: Pick<CheckInRow, 'time_zone'>): (time: number) => string {
  const format = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    timeZone: time_zone,
  });
  return (time) => format.format(time);
}

/** Says when the person called for help, and when the call arrived if it was late. */
export function writeHelp(row: CheckInRow, name: string, translateText: TranslateText): string {
  const time = createTimeFormatter(row);
  const pressed = translateText(
    '{0} pressed “I need help” at {1}.',
    name,
    time(row.help_at ?? row.due_at),
  );
  return row.help_received_at === null
    ? pressed
    : `${pressed} ${writeReceived(row, row.help_received_at, translateText)}`;
}

/** Says by when the person did not answer. */
export const writeMissed = (row: CheckInRow, name: string, translateText: TranslateText): string =>
  translateText('{0} didn’t answer by {1}.', name, createTimeFormatter(row)(row.alarm_at));

/** Says when a late answer arrived. */
export const writeReceived = (row: CheckInRow, at: number, translateText: TranslateText): string =>
  translateText('The server received this answer at {0}.', createTimeFormatter(row)(at));

/** Notifications may show all lines as one, where a note would run into the next sentence. */
function writeNote({ note }: CheckInRow, translateText: TranslateText): string {
  const text = translateText('Note: {0}', note);
  return /[\p{Sentence_Terminal}…]\p{Punctuation}?$/u.test(note.trimEnd()) ? text : `${text}.`;
}

/** Names a city, such as Oslo for Europe/Oslo. Other names of zones stay. */
export function writeTimeZone({ time_zone }: CheckInRow, translateText: TranslateText): string {
  const [region, ...places] = time_zone.split('/');
  const city = places.at(-1);
  return city === undefined || region === 'Etc'
    ? translateText('Times are in {0}.', time_zone)
    : translateText('Times are local time in {0}.', city.replaceAll('_', ' '));
}

/** What helps to find the person. */
export function writeDetails(row: CheckInRow, translateText: TranslateText): string[] {
  const time = createTimeFormatter(row);
  return [
    ...(row.note === '' ? [] : [writeNote(row, translateText)]),
    translateText('Started at {0}, due at {1}.', time(row.started_at), time(row.due_at)),
    ...(row.answered_at === null
      ? []
      : [translateText('Last answer at {0}.', time(row.answered_at))]),
    writeTimeZone(row, translateText),
  ];
}
