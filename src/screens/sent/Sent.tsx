import { Link } from 'wouter';
import { SENT_FAILED, readSent } from '../../state/sending/sent';
import { Heading } from '../../ui/page';
import { Search } from '../../ui/lists/Search';
import { LIST_RULES, useAddress } from '../lists/address';
import { Listing } from '../lists/Listing';
import { usePages } from '../lists/pages';
import { SentTable } from './SentTable';

export function Sent() {
  const address = useAddress(LIST_RULES);
  const list = usePages(address, readSent, SENT_FAILED);
  return (
    <>
      <div className="bar">
        <Heading>Messages</Heading>
        <Link className="press" href="/admin/messages/new">
          New message
        </Link>
      </div>
      <search className="bar">
        <Search label="Search Messages" value={list.query} onSearch={list.search} />
      </search>
      <Listing
        list={list}
        noun="message"
        empty="No messages sent yet. Press New message to write the first one."
      >
        {(rows) => <SentTable rows={rows} />}
      </Listing>
    </>
  );
}
