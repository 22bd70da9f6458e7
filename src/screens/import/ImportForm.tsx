import { useEffect, useRef, useState, type FormEvent } from 'react';
import { Link } from 'wouter';
import { errorMessage } from '../../api/error';
import type { Imported } from '../../shared/contract';
import { readAllTopics, TOPICS_FAILED } from '../../state/topics/all-topics';
import {
  importPeople,
  IMPORT_FAILED,
  checkImport,
  IMPORT_CHECK_FAILED,
  keepImport,
  MAX_BYTES,
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
import { CheckResult } from './CheckResult';
import { ColumnFields } from './ColumnFields';

const EXAMPLE = 'username,email,role,topics';

/** Lines of people, pasted or from a file: check, fix and add. */
export function ImportForm() {
  const topics = useLoad('', readAllTopics, TOPICS_FAILED);
  const [text, setText] = useState('');
  const [topicId, setTopicId] = useState('');
  /** The result, with the lines it belongs to. */
  const [checked, setChecked] = useState<{ wanted: string; found: Imported }>();
  /** Columns that the person can choose, with the first line they belong to. */
  const [heading, setHeading] = useState<{ line: string; columns: HeadingColumn[] }>();
  const [failure, setFailure] = useState('');
  const [busy, setBusy] = useState<'check' | 'add'>();
  const file = useRef<HTMLInputElement>(null);
  const results = useRef<HTMLElement>(null);
  const isMounted = useIsMounted();
  // On a phone it is below the fold.
  useEffect(() => {
    if (checked || failure) results.current?.scrollIntoView({ block: 'nearest' });
  }, [checked, failure]);
  const columnsOf = (lines: string) =>
    heading?.line === firstLine(lines) ? heading.columns : undefined;
  const columns = columnsOf(text);
  const wantedOf = (lines: string): string => JSON.stringify([topicId, columnsOf(lines)]) + lines;
  const isFresh = checked?.wanted === wantedOf(text);
  const found = checked?.found;
  const changes = found ? found.rows - found.unchanged : 0;
  const isReady = isFresh && found?.errors.length === 0 && changes > 0;

  async function send(what: 'check' | 'add', lines: string): Promise<void> {
    if (busy) return;
    setBusy(what);
    setFailure('');
    try {
      const response = await (what === 'add' ? importPeople : checkImport)({
        text: lines,
        topicId,
        columns: columnsOf(lines),
      });
      if (!isMounted.current) return;
      if (what === 'add' && response.errors.length === 0) return keepImport(response);
      setChecked({ wanted: wantedOf(lines), found: response });
    } catch (thrown) {
      if (!isMounted.current) return;
      setFailure(errorMessage(thrown, what === 'add' ? IMPORT_FAILED : IMPORT_CHECK_FAILED));
      setChecked(undefined);
      const invalid = invalidHeading(thrown);
      if (invalid) setHeading({ line: firstLine(lines), columns: invalid });
    } finally {
      if (isMounted.current) setBusy(undefined);
    }
  }

  async function choose(chosen: File | undefined): Promise<void> {
    if (!chosen) return;
    const read =
      chosen.size > MAX_BYTES
        ? { rejection: 'The file is larger than 2 MiB. Split it and import the parts.' }
        : readText(new Uint8Array(await chosen.arrayBuffer()));
    if (!isMounted.current) return;
    if ('rejection' in read) {
      setChecked(undefined);
      return setFailure(read.rejection);
    }
    setText(read.text);
    await send('check', read.text);
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    void send('add', text);
  }

  return (
    <>
      <Link className="back" href="/admin/users">
        <Icon name="chevron" />
        Users
      </Link>
      <Heading>Add many users</Heading>
      <form onSubmit={submit}>
        <div className="twin">
          <div>
            <label>
              People, one per line: <code>{EXAMPLE}</code>
              <textarea
                rows={6}
                name="csv"
                dir="ltr"
                spellCheck="false"
                autoCapitalize="none"
                aria-describedby="how"
                placeholder={`${EXAMPLE}\nm.lopez,m.lopez@company.example,technician,`}
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
                  void choose(currentTarget.files?.[0]);
                  currentTarget.value = ''; // the same file, fixed, can be chosen again
                }}
              />
              <button
                type="button"
                className="plain"
                disabled={busy !== undefined}
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
          </div>
          <section ref={results} aria-labelledby="found">
            <CheckResult found={found} isFresh={isFresh} failure={failure} />
            {columns && (
              <ColumnFields
                columns={columns}
                onChange={(chosen) => setHeading({ line: firstLine(text), columns: chosen })}
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
              aria-busy={busy === 'check' || undefined}
              disabled={text.trim() === '' || busy !== undefined}
              onClick={() => void send('check', text)}
            >
              {found ? 'Check again' : 'Check'}
            </button>
            <button
              type="submit"
              aria-busy={busy === 'add' || undefined}
              disabled={!isReady || busy !== undefined}
            >
              {actionOf(found)}
            </button>
          </div>
        </div>
      </form>
    </>
  );
}

/** With Excel's line before it that names the separator. */
const firstLine = (lines: string): string => /^\s*(?:sep=.\s+)?[^\r\n]*/i.exec(lines)?.[0] ?? '';

function actionOf(found: Imported | undefined): string {
  if (!found) return 'Add users';
  const { created, rows, unchanged, errors } = found;
  const existing = rows - created - unchanged - errors.length;
  return created > 0 || existing <= 0
    ? `Add ${countedNoun(created, 'user')}`
    : `Subscribe ${countedNoun(existing, 'user')}`;
}
