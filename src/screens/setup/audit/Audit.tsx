import {
  AUDIT_FAILED,
  downloadAudit,
  AUDIT_EXPORT_FAILED,
  readAudit,
  type AuditFilter,
} from '../../../state/setup/audit';
import { mayChange } from '../../../state/rights';
import { EmptyList } from '../../../ui/EmptyList';
import { Select } from '../../../ui/forms/Select';
import { Filters } from '../../../ui/lists/Filters';
import { Search } from '../../../ui/lists/Search';
import { Heading } from '../../../ui/page';
import { LIST_RULES, oneOf, useListAddress } from '../../lists/list-address';
import { Download } from '../../lists/Download';
import { Listing } from '../../lists/Listing';
import { usePages } from '../../lists/use-pages';
import { PageSizeField, usePageSize } from '../../lists/PageSize';
import { AuditTable } from './AuditTable';
import { SetupHeader } from '../SetupHeader';

const AREA_FILTERS: readonly (readonly [AuditFilter['area'], string])[] = [
  ['', 'Everything'],
  ['accounts', 'Sign-ins and accounts'],
  ['users', 'Users'],
  ['topics', 'Topics and keys'],
  ['messages', 'Messages'],
  ['setup', 'Setup and exports'],
];
const PERIOD_FILTERS: readonly (readonly [AuditFilter['days'], string])[] = [
  ['', 'Any time'],
  ['1', 'Last 24 hours'],
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
];
const AUDIT_ADDRESS_RULES = {
  ...LIST_RULES,
  area: oneOf(...AREA_FILTERS.map(([area]) => area)),
  days: oneOf(...PERIOD_FILTERS.map(([days]) => days)),
};

/** The audit log, newest entries first. */
export function Audit() {
  const address = useListAddress(AUDIT_ADDRESS_RULES);
  // The rules allow nothing else.
  const { area, days } = address.parts as typeof address.parts & AuditFilter;
  const setting = usePageSize('25');
  const list = usePages(
    address,
    (pageRequest) => readAudit(pageRequest, { area, days }),
    AUDIT_FAILED,
    [area, days],
    setting.limit,
  );
  const isFiltered = area !== '' || days !== '';
  const { shown, query } = list;
  return (
    <>
      {mayChange.value ? <SetupHeader /> : <Heading>Audit log</Heading>}
      <search className="bar">
        <Search label="Search the log" value={query} onSearch={list.search} />
        <Filters values={[area, days]}>
          <Select
            label="Category"
            name="area"
            options={AREA_FILTERS}
            value={area}
            onChoose={(chosen) => address.change({ area: chosen, page: '' })}
          />
          <Select
            label="Time"
            name="days"
            options={PERIOD_FILTERS}
            value={days}
            onChoose={(chosen) => address.change({ days: chosen, page: '' })}
          />
        </Filters>
        {shown && (shown.total > 0 || shown.searched !== undefined) && (
          <Download
            name="audit-log.csv"
            failed={AUDIT_EXPORT_FAILED}
            read={() => downloadAudit(query, { area, days })}
          >
            {query || isFiltered ? 'Download results as CSV' : 'Download all as CSV'}
          </Download>
        )}
      </search>
      {shown?.searched !== undefined && (
        <p className="note" data-tone="warn" role="status">
          Only the newest {shown.searched.toLocaleString()} entries were searched. The download has
          older matches, too.
        </p>
      )}
      <Listing
        list={list}
        noun="entry"
        empty={
          isFiltered ? (
            'No entries match these filters.'
          ) : (
            <EmptyList
              icon="clock"
              title="No entries yet"
              hint="Sign-ins and changes appear here as they happen."
            />
          )
        }
        controls={<PageSizeField setting={setting} address={address} />}
      >
        {(rows) => (
          <>
            <AuditTable rows={rows} />
            <p className="muted">
              <small>
                Entries can’t be changed or deleted. They’re kept for{' '}
                {shown?.keptDays.toLocaleString()} days.
              </small>
            </p>
          </>
        )}
      </Listing>
    </>
  );
}
