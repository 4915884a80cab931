/** Maximum numbers of what users create; the settings start with `MAX_`. */
export interface Quotas {
  readonly keysPerUser: number;
  readonly keysPerOrganization: number;
  readonly sessionsPerUser: number;
  /** Of valid ones. */
  readonly invitesPerOrganization: number;
  /** New organizations by registration, per site and day. */
  readonly registrationsPerSite: number;
  /** Per day. */
  readonly idempotencyKeysPerUser: number;
}
