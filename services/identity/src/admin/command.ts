import { parseArgs } from "node:util";
import type { z } from "zod";
import { Registration } from "@nts/shared/contract/users";
import { AdminProblem } from "./problem.js";

export const HELP = `Creates and recovers accounts directly in identity's database, for operators.

  npm run admin -- create-owner <email>       create an organization with this user as its first Owner
      --organization <name>                   its name, default My Organization
  npm run admin -- reset-password <email>     set a new password for a user
  npm run admin -- reset-second-factor <email>  remove a user's second factor
  npm run admin -- unlink-provider <email>    unlink a user from all identity providers
      --provider <id>                         from this one only
  npm run admin -- disable-user <email>       revoke a user's access until enable-user <email>
  npm run admin -- list-organizations         one line each: id, creation date, name, users, keys, Owners
  npm run admin -- allow-passwords <email>    allow password sign-in again in the organization of a user
      --organization <id>                     which one, if the user belongs to several
  npm run admin -- journal                    changes that could not be recorded, of topology; journal --help
  npm run admin -- doctor                     check what fails silently when others can reach the system
      --url <url>                             where users open it, default PUBLIC_URL
      --backups <folder>                      where backups are kept, to check their age
  npm run admin -- --help                     this text

doctor reads settings of all processes from the environment, and exits with 1 if something is wrong; see docs/exposing.md.

The first two generate a random password and print it once; with --stdin, they read the password from standard input.

An Owner can be created whether registration is open or by invitation only, and can invite all other users; an empty
database is initialized first. Resetting a password ends all sessions of the user on every gateway and clears the login
throttling; API keys are not changed. Removing the second factor also ends all sessions of the user. Verify who asks for
it, because the password is sufficient afterwards.

A disabled user cannot sign in and has no sessions, and the user's API keys are rejected. Everything else is kept, and
works again once the user is enabled. Only an operator can undo this; to delete a user, an Owner uses the API or console.

If a provider is unavailable, allow-passwords and reset-password let an Owner sign in again. Users created by a provider
have no password until it is reset. Provider accounts are linked by their id and the issuer; see docs/access.md.

Settings (environment variables):
  DATA_DIR          data folder of the npm start whose database to use, default .local
  MONGODB_URL       the database, if it was not started by npm start
  MONGODB_DATABASE  its name, default identity
Without npm, as in the images: node dist/bundle/admin.js create-owner <email> in services/identity, with the settings of
the service.
`;

interface OnAccount {
  /** In lower case. */
  readonly email: string;
  readonly fromStdin: boolean;
}

export interface CreateOwnerCommand extends OnAccount {
  readonly kind: "create-owner";
  readonly organization?: string;
}

export interface ResetPasswordCommand extends OnAccount {
  readonly kind: "reset-password";
}

export interface ResetSecondFactorCommand {
  readonly kind: "reset-second-factor";
  /** In lower case. */
  readonly email: string;
}

export interface UnlinkProviderCommand {
  readonly kind: "unlink-provider";
  /** In lower case. */
  readonly email: string;
  /** Provider id; all providers if absent. */
  readonly provider?: string;
}

export interface AllowPasswordsCommand {
  readonly kind: "allow-passwords";
  /** In lower case. */
  readonly email: string;
  /** Organization id; required if the user has several. */
  readonly organization?: string;
}

export interface DisableUserCommand {
  readonly kind: "disable-user" | "enable-user";
  /** In lower case. */
  readonly email: string;
}

export interface ListOrganizationsCommand {
  readonly kind: "list-organizations";
}

export interface DoctorCommand {
  readonly kind: "doctor";
  readonly url?: string;
  readonly backups?: string;
}

/** A parsed command. */
export type Command =
  | { readonly kind: "help" }
  | CreateOwnerCommand
  | ResetPasswordCommand
  | ResetSecondFactorCommand
  | UnlinkProviderCommand
  | AllowPasswordsCommand
  | DisableUserCommand
  | DoctorCommand
  | ListOrganizationsCommand;

const KINDS = [
  ...(["create-owner", "reset-password", "reset-second-factor", "unlink-provider", "allow-passwords"] as const),
  ...(["disable-user", "enable-user", "list-organizations", "doctor"] as const),
];

/** @throws AdminProblem for invalid arguments */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parsed(args);
  const { help, stdin: fromStdin, organization, provider } = values;
  if (help) return { kind: "help" };
  const [kind, email, ...more] = positionals;
  if (kind === undefined) throw new AdminProblem("A command is missing, such as create-owner <email>; see --help.");
  if (!isKind(kind)) throw new AdminProblem(`Unknown command ${kind}; see --help.`);
  if (kind === "list-organizations") return listing(email, values);
  if (kind === "doctor") return doctor(email, values);
  if (values.url !== undefined || values.backups !== undefined)
    throw new AdminProblem(`${kind} takes neither --url nor --backups.`);
  if (email === undefined || more.length > 0)
    throw new AdminProblem(`${kind} takes one email address: ${kind} <email>.`);
  if (provider !== undefined && kind !== "unlink-provider") throw new AdminProblem(`${kind} takes no --provider.`);
  if (kind === "create-owner") return { kind, fromStdin, ...newOwner(email, organization) };
  const known = email.trim().toLowerCase();
  if (kind === "allow-passwords" && !fromStdin)
    return { kind, email: known, ...(organization !== undefined && { organization }) };
  if (organization !== undefined) throw new AdminProblem(`${kind} takes no --organization.`);
  if (kind === "reset-password") return { kind, fromStdin, email: known };
  if (fromStdin) throw new AdminProblem(`${kind} takes no --stdin.`);
  if (kind === "unlink-provider") return { kind, email: known, ...(provider !== undefined && { provider }) };
  return { kind, email: known };
}

function isKind(text: string): text is (typeof KINDS)[number] {
  return (KINDS as readonly string[]).includes(text);
}

function doctor(argument: string | undefined, { url, backups, ...others }: Values): DoctorCommand {
  if (argument !== undefined || others.stdin || others.organization !== undefined || others.provider !== undefined)
    throw new AdminProblem("doctor takes only --url and --backups.");
  if (url !== undefined && !(/^https?:/.test(url) && URL.canParse(url)))
    throw new AdminProblem("--url takes a URL, such as https://topology.example.com.");
  return { kind: "doctor", ...(url !== undefined && { url }), ...(backups !== undefined && { backups }) };
}

function listing(argument: string | undefined, { stdin, organization, provider }: Values): ListOrganizationsCommand {
  if (argument !== undefined || stdin || organization !== undefined || provider !== undefined)
    throw new AdminProblem("list-organizations takes nothing.");
  return { kind: "list-organizations" };
}

/** Address and name are validated as for a registration. */
function newOwner(email: string, organization: string | undefined): Pick<CreateOwnerCommand, "email" | "organization"> {
  const { shape } = Registration;
  const name = valid(shape.organization_name, organization, "The name of the organization");
  return { email: valid(shape.email, email, email), ...(name !== undefined && { organization: name }) };
}

/**
 * Validates a value by the contract.
 *
 * @param what starts the error message
 */
export function valid<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new AdminProblem(`${what} ${read.error.issues.map(({ message }) => message).join(", ")}.`);
}

type Values = ReturnType<typeof parsed>["values"];

function parsed(args: readonly string[]) {
  const options = {
    help: { type: "boolean", short: "h", default: false },
    stdin: { type: "boolean", default: false },
    organization: { type: "string" },
    provider: { type: "string" },
    url: { type: "string" },
    backups: { type: "string" },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new AdminProblem(`${(error as Error).message.split(". ")[0] ?? ""}; --help tells what there is.`);
  }
}
