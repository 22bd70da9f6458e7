import { hashPassword } from '../accounts/passwords/passwords';
import type { Config } from '../config/config';
import type { Database } from '../db/open';
import { createCompany, DEMO_PASSWORD, type DemoNetwork } from './company';
import type { FutureReport } from './history';
import { sendMessages } from './messages';
import { addPeople } from './people';
import type { Phone } from './phones/phone';
import { addSampleTeams } from './teams';
import { addTopics } from './topics';

export { DEMO_PASSWORD } from './company';
export { DEMO_ADMIN } from './names';

export interface Sample {
  phones: ReadonlyMap<string, Phone>;
  futureReports: readonly FutureReport[];
}

export async function fillSample(
  installation: { db: Database; config: Config },
  now: number,
  demoNetwork: DemoNetwork,
): Promise<Sample> {
  const company = createCompany(installation, now, demoNetwork);
  addPeople(company, await hashPassword(DEMO_PASSWORD));
  addTopics(company);
  addSampleTeams(company);
  sendMessages(company);
  const futureReports = await company.history.runLive(company.events, now);
  return { phones: company.phones, futureReports };
}
