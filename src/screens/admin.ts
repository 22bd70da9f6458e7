/** The administrator's larger screens, in one file: they share half of it, which would else come a round trip after each. */
export { Topics } from './Topics';
export { Users } from './Users';
export { UserSubscriptions } from './UserSubscriptions';
