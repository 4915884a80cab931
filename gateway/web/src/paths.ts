/**
 * The paths of the console; the gateway serves it at exactly these. `:id` is the id of an entity. No imports, because
 * the build reads this file, too.
 */
export const PATHS = {
  home: "/",
  signIn: "/sign-in",
  signUp: "/sign-up",
  forgotPassword: "/forgot-password",
  resetPassword: "/reset-password",
  verifyEmail: "/verify-email",
  device: "/device",
  authorize: "/authorize",
  welcome: "/welcome",
  topology: "/topology",
  hosts: "/hosts",
  host: "/hosts/:id",
  notSeen: "/not-seen",
  certificates: "/certificates",
  duplicates: "/duplicates",
  services: "/services",
  service: "/services/:id",
  dependency: "/dependencies/:id",
  networks: "/networks",
  network: "/networks/:id",
  subnets: "/subnets",
  subnet: "/subnets/:id",
  vlans: "/vlans",
  links: "/links",
  tags: "/tags",
  activity: "/activity",
  importScan: "/import",
  collectors: "/collectors",
  collector: "/collectors/:id",
  keys: "/keys",
  users: "/users",
  audit: "/audit",
  settings: "/settings",
  archive: "/settings/archive",
  webhooks: "/settings/webhooks",
  webhook: "/settings/webhooks/:id",
  share: "/share/:id",
} as const;

export function subnetPath(id: string): string {
  return `/subnets/${id}`;
}

export function networkPath(id: string): string {
  return `/networks/${id}`;
}

export function hostPath(id: string): string {
  return `/hosts/${id}`;
}

export function servicePath(id: string): string {
  return `/services/${id}`;
}

/** What is known of a dependency: since when, and what changed at its ends before. */
export function dependencyPath(id: string): string {
  return `/dependencies/${id}`;
}

/** The keys of a service account. */
export function serviceKeysPath(userId: string): string {
  return `/keys?account=${userId}`;
}

export function collectorPath(id: string): string {
  return `/collectors/${id}`;
}

/** The path of an import that runs as a job, or has. */
export function importPath(jobId: string): string {
  return `/import?job=${jobId}`;
}

export function webhookPath(id: string): string {
  return `/settings/webhooks/${id}`;
}

/** The path of the map with a selected node. */
export function mapPath(id: string): string {
  return `/topology?selected=${id}`;
}

/** The path of the activity page with the given filters. */
export function activityPath(filters: Readonly<Record<string, string>>): string {
  return `/activity?${new URLSearchParams(filters).toString()}`;
}
