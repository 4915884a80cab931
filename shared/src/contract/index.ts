import type { AnyEndpoint } from "./endpoint.js";
import * as archives from "./archives.js";
import * as assistants from "./assistants.js";
import * as attachment from "./attachment.js";
import * as audit from "./audit.js";
import * as bindings from "./bindings.js";
import * as changes from "./changes.js";
import * as collectors from "./collectors.js";
import * as diff from "./diff.js";
import * as dependencies from "./dependencies.js";
import * as definitions from "./definitions.js";
import * as deviceSignIn from "./device-sign-in.js";
import * as exports from "./exports.js";
import * as stats from "./stats.js";
import * as hosts from "./hosts.js";
import * as impact from "./impact.js";
import * as importJobs from "./import-jobs.js";
import * as imports from "./imports.js";
import * as interfaces from "./interfaces.js";
import * as invites from "./invites.js";
import * as links from "./links.js";
import * as keys from "./keys.js";
import * as mail from "./mail.js";
import * as notifications from "./notifications.js";
import * as networks from "./networks.js";
import * as organizations from "./organizations.js";
import * as ports from "./ports.js";
import * as providers from "./providers.js";
import * as reports from "./reports.js";
import * as revert from "./revert.js";
import * as revertJob from "./revert-job.js";
import * as secondFactor from "./second-factor.js";
import * as sessions from "./sessions.js";
import * as services from "./services.js";
import * as shares from "./shares.js";
import * as subnets from "./subnets.js";
import * as system from "./system.js";
import * as tags from "./tags.js";
import * as topology from "./topology.js";
import * as users from "./users.js";
import * as views from "./views.js";
import * as vlans from "./vlans.js";
import * as webhooks from "./webhooks.js";
import * as whoami from "./whoami.js";

const METHODS = ["get", "post", "put", "patch", "delete"];

/** The operations exported by contract files, ordered by file, path and method. */
function operationsOf(...files: readonly object[]): readonly AnyEndpoint[] {
  return files.flatMap((file) =>
    Object.values(file)
      .filter(isEndpoint)
      .sort((a, b) => compare(a.path, b.path) || METHODS.indexOf(a.method) - METHODS.indexOf(b.method)),
  );
}

function isEndpoint(value: unknown): value is AnyEndpoint {
  return typeof value === "object" && value !== null && "operationId" in value;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Every operation of the API in document order. */
export const OPERATIONS = operationsOf(
  system,
  users,
  deviceSignIn,
  assistants,
  mail,
  notifications,
  secondFactor,
  providers,
  sessions,
  whoami,
  invites,
  organizations,
  archives,
  keys,
  networks,
  vlans,
  subnets,
  hosts,
  interfaces,
  ports,
  services,
  bindings,
  links,
  tags,
  views,
  dependencies,
  impact,
  attachment,
  shares,
  definitions,
  topology,
  { ...changes, ...changes.HISTORIES },
  diff,
  revert,
  revertJob,
  webhooks,
  audit,
  imports,
  importJobs,
  collectors,
  reports,
  exports,
  stats,
);

export * from "./archives.js";
export * from "./assistants.js";
export * from "./attachment.js";
export * from "./attributes.js";
export * from "./audit.js";
export * from "./bindings.rules.js";
export * from "./bindings.js";
export * from "./categories.js";
export * from "./changes.js";
export * from "./collectors.js";
export * from "./common.js";
export * from "./definitions.js";
export * from "./dependencies.js";
export * from "./device-sign-in.js";
export * from "./diff.js";
export * from "./moments.js";
export * from "./endpoint.js";
export * from "./exports.js";
export * from "./hosts.js";
export * from "./impact.js";
export * from "./import-formats.js";
export * from "./import-job.js";
export * from "./import-jobs.js";
export * from "./imports.js";
export * from "./interfaces.js";
export * from "./invites.js";
export * from "./keys.js";
export * from "./kinds.js";
export * from "./links.js";
export * from "./mail.js";
export * from "./merge-patch.js";
export * from "./networks.js";
export * from "./notifications.js";
export * from "./observed.js";
export * from "./organizations.js";
export * from "./ports.js";
export * from "./providers.js";
export * from "./reports.js";
export * from "./revert.js";
export * from "./revert-job.js";
export * from "./reverted.js";
export * from "./roles.js";
export * from "./second-factor.js";
export * from "./services.js";
export * from "./sessions.js";
export * from "./shares.js";
export * from "./sightings.js";
export * from "./stats.js";
export * from "./subnets.js";
export * from "./system.js";
export * from "./tags.js";
export * from "./topology.js";
export * from "./upload.js";
export * from "./users.js";
export * from "./views.js";
export * from "./vlans.js";
export * from "./webhooks.js";
export * from "./whoami.js";
export * from "./writes.js";
