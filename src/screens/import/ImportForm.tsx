import { useEffect, useRef, useState, type FormEvent } from 'react';
import { Link } from 'wouter';
import { errorMessage } from '../../api/error';
import type { Imported } from '../../shared/contract';
import type { Language } from '../../shared/languages';
import { readAllTopics, TOPICS_FAILED } from '../../state/topics/all-topics';
import {
  importPeople,
  IMPORT_FAILED,
  checkImport,
  IMPORT_CHECK_FAILED,
  keepImport,
  MAX_IMPORT_BYTES,
  invalidHeading,
  readText,
  type HeadingColumn,
} from '../../state/users/importing';
import { Icon } from '../../ui/Icon';
import { useIsMounted } from '../../ui/forms/use-is-mounted';
import { countedNoun } from '../../ui/lists/Pager';
import { Failure, Heading } from '../../ui/page';
import { Select } from '../../ui/forms/Select';
import { useLoad } from '../lists/use-load';
import { InvitationLanguage } from '../users/InvitationLanguage';
import { CheckResult } from './CheckResult';
import { ColumnFields } from './ColumnFields';

const EXAMPLE_HEADING = 'username,email,role,topics';

/** Lines of people, pasted or from a file: check, fix and add. */
export function ImportForm() {
  const topics = useLoad('', readAllTopics, TOPICS_FAILED);
  const [text, setText] = useState('');
  const [topicId, setTopicId] = useState('');
  const [language, setLanguage] = useState<Language | ''>('');
  /** The result, and the checked lines. */
  const [lastCheck, setLastCheck] = useState<{ checkedInput: string; result: Imported }>();
  /** Columns that the person can choose, with the first line they belong to. */
  const [heading, setHeading] = useState<{ line: string; columns: HeadingColumn[] }>();
  const [failure, setFailure] = useState('');
  const [busyAction, setBusyAction] = useState<'check' | 'add'>();
  const file = useRef<HTMLInputElement>(null);
  const results = useRef<HTMLElement>(null);
  const isMounted = useIsMounted();
  // The result is below the fold on a phone.
  useEffect(() => {
    if (lastCheck || failure) results.current?.scrollIntoView({ block: 'nearest' });
  }, [lastCheck, failure]);
  const getColumns = (lines: string) =>
    heading?.line === firstLine(lines) ? heading.columns : undefined;
  const columns = getColumns(text);
  const createInputKey = (lines: string): string =>
    JSON.stringify([topicId, getColumns(lines)]) + lines;
  const isFresh = lastCheck?.checkedInput === createInputKey(text);
  const checkedResult = lastCheck?.result;
  const changes = checkedResult ? checkedResult.rows - checkedResult.unchanged : 0;
  const isReady = isFresh && checkedResult?.errors.length === 0 && changes > 0;

  async function submitLines(action: 'check' | 'add', lines: string): Promise<void> {
    if (busyAction) return;
    setBusyAction(action);
    setFailure('');
    try {
      const response = await (action === 'add' ? importPeople : checkImport)({
        text: lines,
        topicId,
        columns: getColumns(lines),
        language,
      });
      if (!isMounted.current) return;
      if (action === 'add' && response.errors.length === 0) return keepImport(response);
      setLastCheck({ checkedInput: createInputKey(lines), result: response });
    } catch (thrown) {
      if (!isMounted.current) return;
      setFailure(errorMessage(thrown, action === 'add' ? IMPORT_FAILED : IMPORT_CHECK_FAILED));
      setLastCheck(undefined);
      const invalid = invalidHeading(thrown);
      if (invalid) setHeading({ line: firstLine(lines), columns: invalid });
    } finally {
      if (isMounted.current) setBusyAction(undefined);
    }
  }

  async function chooseFile(newFile: File | undefined): Promise<void> {
    if (!newFile) return;
    const readResult =
      newFile.size > MAX_IMPORT_BYTES
        ? { rejection: 'The file is larger than 2 MiB. Split it and import the parts.' }
        : readText(new Uint8Array(await newFile.arrayBuffer()));
    if (!isMounted.current) return;
    if ('rejection' in readResult) {
      setLastCheck(undefined);
      return setFailure(readResult.rejection);
    }
    setText(readResult.text);
    await submitLines('check', readResult.text);
  }

  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    void submitLines('add', text);
  }

  return (
    <>
      <Link className="back" href="/admin/users">
        <Icon name="chevron" />
        Users
      </Link>
      <Heading>Add many users</Heading>
      <form onSubmit={onSubmit}>
        <div className="twin">
          <div>
            <label>
              People, one per line: <code>{EXAMPLE_HEADING}</code>
              <textarea
                rows={6}
                name="csv"
                dir="ltr"
                spellCheck="false"
                autoCapitalize="none"
                aria-describedby="how"
                placeholder={`${EXAMPLE_HEADING}\nm.lopez,m.lopez@company.example,technician,`}
                value={text}
                onInput={({ currentTarget }) => setText(currentTarget.value)}
              />
            </label>
            <p>
              <small id="how">
                Paste from a spreadsheet or choose a CSV file. Up to 10,000 lines. Separate topics
                and teams with semicolons.
              </small>
            </p>
            <p>
              <input
                ref={file}
                type="file"
                name="file"
                hidden
                accept=".csv,.tsv,.txt,text/csv"
                onChange={({ currentTarget }) => {
                  void chooseFile(currentTarget.files?.[0]);
                  currentTarget.value = ''; // the same file, fixed, can be chosen again
                }}
              />
              <button
                type="button"
                className="plain"
                disabled={busyAction !== undefined}
                onClick={() => file.current?.click()}
              >
                Choose a CSV file
              </button>
            </p>
            {topics.failure && <Failure retry={topics.reload}>{topics.failure}</Failure>}
            <Select
              label="Subscribe everyone to (optional)"
              name="topic"
              options={[
                ['', 'No topic'],
                ...(topics.value ?? []).map(({ id, title }) => [String(id), title] as const),
              ]}
              value={topicId}
              onChoose={setTopicId}
            />
            <InvitationLanguage value={language} onChoose={setLanguage} />
          </div>
          <section ref={results} aria-labelledby="found">
            <CheckResult checked={checkedResult} isFresh={isFresh} failure={failure} />
            {columns && (
              <ColumnFields
                columns={columns}
                onChange={(newColumns) =>
                  setHeading({ line: firstLine(text), columns: newColumns })
                }
              />
            )}
          </section>
        </div>
        <div className="foot bar">
          <small>Nothing changes until you add users.</small>
          <div>
            <button
              type="button"
              className="plain"
              aria-busy={busyAction === 'check' || undefined}
              disabled={text.trim() === '' || busyAction !== undefined}
              onClick={() => void submitLines('check', text)}
            >
              {checkedResult ? 'Check again' : 'Check'}
            </button>
            <button
              type="submit"
              aria-busy={busyAction === 'add' || undefined}
              disabled={!isReady || busyAction !== undefined}
            >
              {getActionText(checkedResult)}
            </button>
          </div>
        </div>
      </form>
    </>
  );
}

/** The header includes Excel's `sep=` line, which names the separator. */
const firstLine = (lines: string): string => /^\s*(?:sep=.\s+)?[^\r\n]*/i.exec(lines)?.[0] ?? '';

function getActionText(counts: Imported | undefined): string {
  if (!counts) return 'Add users';
  const { created, rows, unchanged, errors } = counts;
  const existingCount = rows - created - unchanged - errors.length;
  return created > 0 || existingCount <= 0
    ? `Add ${countedNoun(created, 'user')}`
    : `Subscribe ${countedNoun(existingCount, 'user')}`;
}
