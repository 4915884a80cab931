/** What other parts of the system are told of, after it is in the database. */
export interface Notices {
  networkDeleted(organizationId: string, networkId: string): void;
  tagDeleted(organizationId: string, tagId: string): void;
  /** Something waits to be written into the audit log. */
  auditNoted(organizationId: string): void;
}
