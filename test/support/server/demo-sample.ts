/** The demo's sample in a test's database; its push services and receivers do not exist. */
import type { Config } from '../../../server/config/config';
import type { Database } from '../../../server/db/open';
import { fillSample } from '../../../server/demo/sample';

const outside = {
  endpoint: (place: string) => `https://127.0.0.1:9/push/${place}`,
  receiver: (path: string) => `https://127.0.0.1:9${path}`,
};

export const fillDemoSample = (
  installation: { db: Database; config: Config },
  now: number,
): Promise<unknown> => fillSample(installation, now, outside);
