import type { Insights } from '../../state/insights';

/** Phones on time, late and silent, as last noted. */
export const PhoneMakes = ({ makes }: Pick<Insights, 'makes'>) => (
  <section className="panel" aria-labelledby="makes">
    <div className="pad">
      <b id="makes">Phones by make</b>
      <br />
      <small>Late: displayed after more than a minute. Silent: not displayed.</small>
    </div>
    {makes.length === 0 ? (
      <p className="pad muted">No phones yet. They’re counted once a day.</p>
    ) : (
      <table className="dense">
        <thead>
          <tr>
            <th scope="col">Make</th>
            <th scope="col" className="number">
              Devices
            </th>
            <th scope="col">On time, late, silent</th>
          </tr>
        </thead>
        <tbody>
          {makes.map(({ make, devices, late, silent }) => {
            const parts = { ok: devices - late - silent, warn: late, bad: silent };
            return (
              <tr key={make}>
                <th scope="row">{MAKE_NAMES[make] ?? make}</th>
                <td data-label="Devices" className="number">
                  {devices.toLocaleString()}
                </td>
                <td data-label="On time, late, silent" className="full">
                  <span className="cell">
                    <span className="meter" aria-hidden="true">
                      {Object.entries(parts).map(
                        ([tone, count]) =>
                          count > 0 && (
                            <i key={tone} data-tone={tone} style={{ flexGrow: count }} />
                          ),
                      )}
                    </span>
                    <small>
                      {Object.values(parts)
                        .map((count) => count.toLocaleString())
                        .join(' · ')}
                    </small>
                  </span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    )}
  </section>
);

/** Shown names of makes that the server names by their system. */
const MAKE_NAMES: Readonly<Record<string, string>> = { Android: 'Other Android', iPhone: 'Apple' };
