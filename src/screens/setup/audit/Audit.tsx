import { AUDIT_FAILED, downloadAudit, EXPORT_FAILED, readAudit } from '../../../state/setup/audit';
import { Search } from '../../../ui/lists/Search';
import { LIST_RULES, useAddress } from '../../lists/address';
import { Download } from '../../lists/Download';
import { Listing } from '../../lists/Listing';
import { usePages } from '../../lists/pages';
import { RowsField, useRows } from '../../lists/Rows';
import { AuditTable } from './AuditTable';
import { Views } from '../Views';

/** Newest first. */
export function Audit() {
  const address = useAddress(LIST_RULES);
  const setting = useRows('25');
  const list = usePages(address, readAudit, AUDIT_FAILED, [], setting.limit);
  const { shown, query } = list;
  return (
    <>
      <Views />
      <search className="bar">
        <Search label="Search the log" value={query} onSearch={list.search} />
        {shown && shown.total > 0 && (
          <Download name="audit-log.csv" failed={EXPORT_FAILED} read={() => downloadAudit(query)}>
            Download {query ? 'these' : 'all'} as CSV
          </Download>
        )}
      </search>
      {shown?.searched !== undefined && (
        <p className="note" data-tone="warn" role="status">
          Only the newest {shown.searched.toLocaleString()} entries were searched. Download the log
          to search older ones.
        </p>
      )}
      <Listing
        list={list}
        noun="entry"
        empty="No entries yet."
        controls={<RowsField setting={setting} address={address} />}
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
