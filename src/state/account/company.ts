/** Where the company's sign-in begins. */
import { address } from '../../api/address';
import { parameter } from '../../platform/parameter';

/** It is told where the person was going, and leads back there. */
export const goToCompany = (): void =>
  location.assign(address('/api/auth/oidc/start', {}, { next: parameter('next') ?? '' }));
