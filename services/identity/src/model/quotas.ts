/** Maximum numbers of what users create; the settings start with `MAX_`. */
export interface Quotas {
  readonly keysPerUser: number;
  readonly keysPerOrganization: number;
  readonly sessionsPerUser: number;
  /** Of valid ones. */
  readonly invitesPerOrganization: number;
  /** New organizations by registration, per site and day. */
  readonly registrationsPerSite: number;
  /** Whether organizations are small until an Owner has verified the address. */
  readonly untilVerified: boolean;
  /** Per day. */
  readonly idempotencyKeysPerUser: number;
}
