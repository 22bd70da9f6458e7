import type { Imported } from '../../shared/contract';
import { ClientPager } from '../../ui/lists/ClientPager';
import { FormError } from '../../ui/forms/form';
import { countedNoun } from '../../ui/lists/Pager';
import { MAIL_NOT_SET_UP } from './import-texts';

const INVITATION_MAIL_NOTE =
  'New people with an email address get an invitation by email when you add them.';

interface Props {
  /** The server's result, undefined before the first check. */
  checked: Imported | undefined;
  /** Whether the lines are unchanged since the check. */
  isFresh: boolean;
  /** Why checking or adding failed. */
  failure: string;
}

/** The result of a check: counts, and lines to fix. */
export function CheckResult({ checked: checkedImport, isFresh, failure }: Props) {
  return (
    <>
      <h2 id="found">{failure ? 'Result' : getTitle(checkedImport, isFresh)}</h2>
      {checkedImport && <Numbers checked={checkedImport} />}
      <FormError>{failure || (checkedImport && faultText(checkedImport.errors.length))}</FormError>
      <p className="note" data-tone="ok" role="status">
        {checkedImport && !failure && checkedImport.errors.length === 0 && goodText(checkedImport)}
      </p>
      {checkedImport && checkedImport.errors.length > 0 && (
        <ClientPager rows={groupErrors(checkedImport.errors)} noun="error">
          {(errors) => (
            <ul className="panel rows">
              {errors.map(({ lines, message }) => (
                <li key={message}>
                  <div>
                    <span>
                      <b>
                        {lines.length === 1
                          ? `Line ${lines[0]}`
                          : countedNoun(lines.length, 'line')}
                      </b>{' '}
                      <span>
                        <bdi dir={document.dir || 'auto'}>{message}</bdi>
                      </span>
                      {lines.length > 1 && <small>{linesText(lines)}</small>}
                    </span>
                  </div>
                </li>
              ))}
            </ul>
          )}
        </ClientPager>
      )}
    </>
  );
}

function getTitle(checked: Imported | undefined, isFresh: boolean): string {
  if (!checked) return 'Not checked yet';
  return isFresh ? 'Checked. No one has been added yet.' : 'Not checked since the last change';
}

function Numbers({ checked: { rows, created, errors } }: { checked: Imported }) {
  const existingCount = rows - created - errors.length;
  const tiles = [
    [rows, rows === 1 ? 'line' : 'lines'],
    [created, 'will be added'],
    [existingCount, existingCount === 1 ? 'already exists' : 'already exist'],
    [errors.length, errors.length === 1 ? 'error' : 'errors'],
  ] as const;
  return (
    <div className="panel tally">
      {tiles.map(([count, words]) => (
        <span key={words}>
          <b>{count.toLocaleString()}</b> <small>{words}</small>
        </span>
      ))}
    </div>
  );
}

const faultText = (count: number): string | undefined =>
  count === 0
    ? undefined
    : count === 1
      ? '1 line has an error. Fix it and check again. No one has been added.'
      : `${count.toLocaleString()} lines have errors. Fix these and check again. No one has been added.`;

function goodText({ rows, unchanged, created, newTeams = [], mail }: Imported): string {
  if (unchanged === rows) return 'All of these users already exist. There’s nothing to change.';
  const summary = `All lines are valid.${teamsText(newTeams)}`;
  if (created === 0) return summary;
  return `${summary} ${mail === 'not_set_up' ? MAIL_NOT_SET_UP : INVITATION_MAIL_NOTE}`;
}

const MAX_NAMED_TEAMS = 10;

function teamsText(names: readonly string[]): string {
  if (names.length === 0) return '';
  const hiddenCount = names.length - MAX_NAMED_TEAMS;
  const moreText = hiddenCount > 0 ? ` and ${hiddenCount} more` : '';
  return ` New ${names.length === 1 ? 'team' : 'teams'}: ${names.slice(0, MAX_NAMED_TEAMS).join(', ')}${moreText}.`;
}

interface ErrorGroup {
  lines: number[];
  message: string;
}

/** Equal errors are one entry, in the order of their first line. */
function groupErrors(errors: Imported['errors']): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>();
  for (const { line, message } of errors) {
    const group = groups.get(message);
    if (group) group.lines.push(line);
    else groups.set(message, { lines: [line], message });
  }
  return [...groups.values()];
}

const MAX_LISTED_LINES = 10;

function linesText(lines: readonly number[]): string {
  const moreCount = lines.length - MAX_LISTED_LINES;
  const firstLines = lines.slice(0, MAX_LISTED_LINES).join(', ');
  return moreCount > 0
    ? `Lines ${firstLines} and ${moreCount.toLocaleString()} more`
    : `Lines ${firstLines}`;
}
