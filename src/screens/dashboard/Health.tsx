import { useState } from 'react';
import { Link } from 'wouter';
import type { Overview } from '../../shared/contract';
import { Close, Dialog } from '../../ui/forms/Dialog';
import { systemStatusLines, type SystemStatusLine } from './system-status-lines';

/** The server's status, with a remedy for each fault. */
export function Health({ overview }: { overview: Overview }) {
  const [open, setOpen] = useState<SystemStatusLine>();
  return (
    <section className="flush" aria-labelledby="well">
      <div className="bar">
        <h2 id="well">System status</h2>
      </div>
      <ul className="panel rows">
        {systemStatusLines(overview).map((line) => (
          <li key={line.name}>
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
                  onClick={() => setOpen(line)}
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
        ))}
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
