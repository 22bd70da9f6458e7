import type { SlowTopic } from '../../state/insights';
import { insightSecondsText } from './seconds-text';

/** The topics whose slowest messages took longest. */
export const SlowestTopics = ({ topics }: { topics: readonly SlowTopic[] }) => (
  <section className="panel" aria-labelledby="slowest">
    <div className="pad">
      <b id="slowest">Slowest topics</b>
      <br />
      <small>Time until the phone displays a message</small>
    </div>
    <table className="dense">
      <thead>
        <tr>
          <th scope="col">Topic</th>
          <th scope="col" className="number">
            Median
          </th>
          <th scope="col" className="number">
            95th percentile
          </th>
          <th scope="col" className="number">
            Displayed
          </th>
        </tr>
      </thead>
      <tbody>
        {topics.map(({ id, title, displayed, medianSeconds, p95Seconds }) => (
          <tr key={id}>
            <th scope="row">
              <bdi>{title}</bdi>
            </th>
            <td data-label="Median" className="number">
              {insightSecondsText(medianSeconds)}
            </td>
            <td data-label="95th percentile" className="number">
              {insightSecondsText(p95Seconds)}
            </td>
            <td data-label="Displayed" className="number">
              {displayed.toLocaleString()}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
