/**
 * The paths of the console. The gateway serves these, and no other path, with the console's document; `:id` stands for the
 * id of an entity. No imports: the build reads this file, too.
 */
export const PATHS = {
  home: "/",
  signIn: "/sign-in",
  signUp: "/sign-up",
  forgotPassword: "/forgot-password",
  resetPassword: "/reset-password",
  verifyEmail: "/verify-email",
  welcome: "/welcome",
  topology: "/topology",
  hosts: "/hosts",
  host: "/hosts/:id",
  gone: "/gone",
  services: "/services",
  networks: "/networks",
  subnets: "/subnets",
  subnet: "/subnets/:id",
  tags: "/tags",
  activity: "/activity",
  importScan: "/import",
  keys: "/keys",
  users: "/users",
  audit: "/audit",
  settings: "/settings",
  archive: "/settings/archive",
  webhooks: "/settings/webhooks",
  webhook: "/settings/webhooks/:id",
} as const;

/** The path of one subnet's page. */
export function subnetPath(id: string): string {
  return `/subnets/${id}`;
}

/** The path of one host's page. */
export function hostPath(id: string): string {
  return `/hosts/${id}`;
}

/** The path of one webhook's page. */
export function webhookPath(id: string): string {
  return `/settings/webhooks/${id}`;
}

/** The path of the activity page, narrowed by the parameters of its address. */
export function activityPath(filters: Readonly<Record<string, string>>): string {
  return `/activity?${new URLSearchParams(filters).toString()}`;
}
