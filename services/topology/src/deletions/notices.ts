/** Notices to other processes, sent after commit. */
export interface Notices {
  networkDeleted(organizationId: string, networkId: string): void;
  tagDeleted(organizationId: string, tagId: string): void;
  viewDeleted(organizationId: string, viewId: string): void;
  /** There are pending audit notes. */
  auditNoted(organizationId: string): void;
}
