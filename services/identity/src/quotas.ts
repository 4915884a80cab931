/** The most that there may be of what users make; the settings begin with `MAX_`. */
export interface Quotas {
  readonly keysPerUser: number;
  readonly keysPerOrganization: number;
  readonly sessionsPerUser: number;
  /** Of those that can still be used. */
  readonly invitesPerOrganization: number;
  /** Used a day. */
  readonly idempotencyKeysPerUser: number;
}
