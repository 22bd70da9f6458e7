/** The demo's sample in a database of a test: the push services and receivers in it are not there. */
import type { Config } from '../../../server/config/config';
import type { Database } from '../../../server/db/open';
import { fillSample } from '../../../server/demo/sample';

const outside = {
  endpoint: (place: string) => `https://127.0.0.1:9/push/${place}`,
  receiver: (path: string) => `https://127.0.0.1:9${path}`,
};

export const makeSample = (
  installation: { db: Database; config: Config },
  now: number,
): Promise<unknown> => fillSample(installation, now, outside);
