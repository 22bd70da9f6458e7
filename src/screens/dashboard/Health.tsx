import { useState } from 'react';
import { Link } from 'wouter';
import type { Overview } from '../../shared/contract';
import { Close, Dialog } from '../../ui/forms/Dialog';
import { splitSystemStatus, type SystemStatusLine } from './system-status-lines';

/** The server's status: each fault with its remedy, and in one line what works. */
export function Health({ overview }: { overview: Overview }) {
  const [open, setOpen] = useState<SystemStatusLine>();
  const { shown, good } = splitSystemStatus(overview);
  return (
    <section className="flush" aria-labelledby="well">
      <div className="bar">
        <h2 id="well">System status</h2>
      </div>
      <ul className="panel rows">
        {shown.map((line) => (
          <StatusRow key={line.name} line={line} onRemedy={setOpen} />
        ))}
        {good.length > 0 && (
          <li>
            <details>
              <summary>
                <span className="chip" data-tone="ok">
                  {shown.length > 0 ? 'Everything else works' : 'Everything works'}
                </span>
              </summary>
              <ul className="rows">
                {good.map((line) => (
                  <StatusRow key={line.name} line={line} onRemedy={setOpen} />
                ))}
              </ul>
            </details>
          </li>
        )}
      </ul>
      {open?.remedy && (
        <Dialog title={open.name} onClose={() => setOpen(undefined)}>
          <p>{open.remedy[1]}</p>
          <Close onClose={() => setOpen(undefined)} />
        </Dialog>
      )}
    </section>
  );
}

const StatusRow = ({
  line,
  onRemedy,
}: {
  line: SystemStatusLine;
  onRemedy: (line: SystemStatusLine) => void;
}) => (
  <li>
    <div>
      <span>
        <b>{line.name}</b> <span>{line.text}</span>
      </span>
      {line.chip && (
        <span className="chip" data-tone={line.chip[0]}>
          {line.chip[1]}
        </span>
      )}
      {line.remedy && (
        <button
          type="button"
          className="plain"
          aria-label={`${line.remedy[0]}: ${line.name}`}
          onClick={() => onRemedy(line)}
        >
          {line.remedy[0]}
        </button>
      )}
      {line.link && (
        <Link className="alone" href={line.link[1]}>
          {line.link[0]}
        </Link>
      )}
    </div>
  </li>
);
