import { randomBytes } from "node:crypto";
import { z } from "zod";
import { type Db, MongoError, MongoServerError, type MongoClient } from "mongodb";
import { ConfigError, readConfig } from "@nts/shared/config";
import { Password } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import type { Log } from "@nts/shared/log";
import { createMongoClient, openDatabase } from "@nts/shared/mongo/connect";
import { createTransactions } from "@nts/shared/mongo/transaction";
import { operatorName } from "@nts/shared/operator";
import { BACKGROUND } from "@nts/shared/work";
import { createAudited } from "../storage/audit-trail.js";
import { IdentitySettings } from "../config.js";
import { createAcknowledgements } from "../rights/acknowledgements.js";
import { type ChangeRights, createChangeRights } from "../rights/change-rights.js";
import { createKeyChangeLog } from "../storage/key-changes.js";
import { createGatewayRegistry } from "../storage/gateways.js";
import { createLoginFailureStore } from "../storage/login-failures.js";
import { createOrganizationStore } from "../storage/organizations.js";
import { unshared } from "../storage/database.js";
import { prepareDatabase } from "../storage/prepare-database.js";
import { createIdentityStore } from "../storage/linked-identities.js";
import { createUnlink } from "../flows/providers/unlink.js";
import { createNoteAccount } from "../storage/first-account.js";
import { createRegisterUser } from "../flows/registration/register-user.js";
import { createResetSecondFactor } from "../flows/second-factor/reset.js";
import { createSecondFactorStore } from "../storage/second-factors.js";
import { createSessionStore } from "../storage/sessions.js";
import { createChangePassword } from "../flows/recovery/change-password.js";
import { createPasswords, type Passwords } from "../secrets/passwords.js";
import { createPasswordJudge } from "../secrets/strength-judge.js";
import { type AccountWords, createRequireStrongPassword } from "../secrets/strength.js";
import { createUserStore } from "../storage/users.js";
import { allowPasswords } from "./allow-passwords.js";
import {
  type AllowPasswordsCommand,
  type Command,
  type CreateOwnerCommand,
  type DisableUserCommand,
  type DoctorCommand,
  HELP,
  readCommand,
  type ResetPasswordCommand,
  type ResetSecondFactorCommand,
  type UnlinkProviderCommand,
  valid,
} from "./command.js";
import { createOwner } from "./create-owner.js";
import { createEndedMakers } from "../storage/ended-webhook-makers.js";
import { disableUser } from "./disable-user.js";
import { examine } from "./doctor.js";
import { listOrganizations } from "./list-organizations.js";
import { AdminProblem } from "./problem.js";
import { resetPassword } from "./reset-password.js";
import { resetSecondFactor } from "./reset-second-factor.js";
import { unlinkProvider } from "./unlink-provider.js";

// Operator commands on the database, whether identity runs or not. Gateways learn of changes from the key change log.

const { MONGODB_URL, MONGODB_DATABASE } = IdentitySettings.shape;
const AdminSettings = z.object({ MONGODB_URL, MONGODB_DATABASE });

const text = z.string().optional();
/** Settings of all processes, of which an environment has some. */
const DoctorSettings = z.object({
  ...{ MONGODB_URL, MONGODB_DATABASE, PUBLIC_URL: text, INSECURE_HTTP: text, REGISTRATION: text },
  ...{ TRUST_PROXY_HOPS: text, REDIS_URL: text, NATS_URL: text },
  ...{ GATEWAY_TO_IDENTITY_SECRETS: text, GATEWAY_TO_TOPOLOGY_SECRETS: text, IDENTITY_TO_TOPOLOGY_SECRETS: text },
  SECOND_FACTOR_SECRETS: text,
});

/** What a command reads and writes. Standard output is for the operator, standard error for the log and failures. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** Reads standard input to its end. */
  input(): Promise<string>;
  print(text: string): void;
  printError(text: string): void;
}

/** Runs a command line, without the program's own words. @returns the exit code */
export async function runAdmin(args: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    return await runCommandLine(args, surroundings);
  } catch (error) {
    surroundings.printError(`${sentenceOf(error)}\n`);
    return 1;
  }
}

async function runCommandLine(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env, log, input, print } = surroundings;
  const command = readCommand([...args]);
  if (command.kind === "help") {
    print(HELP);
    return 0;
  }
  if (command.kind === "doctor") return diagnose(command, surroundings);
  const settings = readConfig(AdminSettings, env);
  const takesPassword = command.kind === "create-owner" || command.kind === "reset-password";
  const password = takesPassword ? await passwordFor(command, input) : "";
  // No socket timeout, because `create-owner` may have to migrate the database.
  const client = createMongoClient(settings.MONGODB_URL, "identity-admin", { socketTimeoutMS: 0 });
  try {
    await client.connect();
    const run = { client, database: settings.MONGODB_DATABASE, password, log };
    print(`${await runCommand(run, command)}\n`);
    return 0;
  } finally {
    await client.close();
  }
}

/** Prints what is well and what is not. @returns the exit code */
async function diagnose({ url, backups }: DoctorCommand, { env, print }: Surroundings): Promise<number> {
  const settings = readConfig(DoctorSettings, env);
  const { MONGODB_DATABASE: database, PUBLIC_URL } = settings;
  const secrets = Object.fromEntries(Object.entries(settings).filter(([name]) => name.endsWith("_SECRETS")));
  const checked = await examine({ settings: { ...settings, secrets }, database, url: url ?? PUBLIC_URL, backups });
  const lines = checked.map(({ what, fault }) => (fault === null ? `ok     ${what}` : `WRONG  ${what}: ${fault}`));
  const missing = Object.keys(DoctorSettings.shape).filter(
    (name) => settings[name as keyof typeof settings] === undefined,
  );
  const wrong = checked.filter(({ fault }) => fault !== null).length;
  const result =
    wrong === 0 ? "Nothing wrong was found." : `${wrong} of ${checked.length} checks found something wrong.`;
  if (missing.length > 0) lines.push("", `Not checked, as they are not in this environment: ${missing.join(", ")}.`);
  print(`${[...lines, "", result].join("\n")}\n`);
  return wrong === 0 ? 0 : 1;
}

/** @returns the success message */
async function runCommand(run: Run, command: Exclude<Command, { kind: "help" | "doctor" }>): Promise<string> {
  switch (command.kind) {
    case "reset-second-factor":
      return `${await resetFactor(run, command)}.`;
    case "unlink-provider":
      return `${await unlinkFrom(run, command)}.`;
    case "allow-passwords":
      return `${await allow(run, command)}.`;
    case "disable-user":
    case "enable-user":
      return `${await disable(run, command)}.`;
    case "list-organizations":
      return list(run);
    case "create-owner":
    case "reset-password":
      return createOrReset(run, command);
  }
}

async function createOrReset(run: Run, command: CreateOwnerCommand | ResetPasswordCommand): Promise<string> {
  const passwords = createPasswords();
  try {
    const done = await (command.kind === "create-owner"
      ? create(run, command, passwords)
      : reset(run, command, passwords));
    return command.fromStdin ? `${done}.` : `${done}; the password, shown once: ${run.password}`;
  } finally {
    await passwords.close();
  }
}

async function passwordFor(
  command: CreateOwnerCommand | ResetPasswordCommand,
  input: Surroundings["input"],
): Promise<string> {
  if (!command.fromStdin) return randomBytes(18).toString("base64url");
  // A trailing line break is not part of the password.
  const password = valid(Password, (await input()).replace(/\r?\n$/, ""), "The password");
  const organization = command.kind === "create-owner" ? command.organization : undefined;
  await requireStrong(password, { email: command.email, organization });
  return password;
}

interface Run {
  readonly client: MongoClient;
  readonly database: string;
  readonly password: string;
  readonly log: Log;
}

/** @throws AdminProblem if the new password is weak */
async function requireStrong(password: string, account: AccountWords): Promise<void> {
  const passwordJudge = createPasswordJudge();
  try {
    await createRequireStrongPassword(passwordJudge.judge)(BACKGROUND, { path: "password", password }, account);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "validation_failed") throw error;
    const [fault] = error.params["errors"] as { message: string }[];
    throw new AdminProblem(`The password ${fault?.message ?? "is too easy to guess"}`);
  } finally {
    await passwordJudge.close();
  }
}

async function create(
  { client, database, password, log }: Run,
  command: CreateOwnerCommand,
  passwords: Passwords,
): Promise<string> {
  await prepareDatabase(client.db(database), log);
  const db = openDatabase(client, database);
  const users = createUserStore(unshared(db));
  const transaction = createAudited(createTransactions(client), db);
  const noteAccount = createNoteAccount(db);
  const registerUser = createRegisterUser({ users, transaction, passwords, noteAccount });
  const { email, organization } = command;
  const parts = { registerUser, organizations: createOrganizationStore(unshared(db)) };
  const owner = await createOwner(parts, { email, password, organization });
  log.info(
    { user_id: owner._id, organization_id: owner.organization_id, operator: operatorName() },
    "an operator has created an organization with its first owner",
  );
  return `${email} is the owner of a new organization`;
}

async function reset(
  { client, database, password, log }: Run,
  { email }: ResetPasswordCommand,
  passwords: Passwords,
): Promise<string> {
  const db = openDatabase(client, database);
  const changeRights = changingRights(client, db);
  const users = createUserStore(unshared(db));
  const sessions = createSessionStore(unshared(db));
  const change = createChangePassword({ users, sessions, passwords, changeRights });
  const user = await resetPassword({ users, failures: createLoginFailureStore(db), change }, email, password);
  log.info(
    { user_id: user._id, organization_id: user.organization_id, operator: operatorName() },
    "an operator has reset a password; all sessions of the user have ended",
  );
  return `${email} has a new password`;
}

async function resetFactor({ client, database, log }: Run, { email }: ResetSecondFactorCommand): Promise<string> {
  const db = openDatabase(client, database);
  const reset = createResetSecondFactor({
    factors: createSecondFactorStore({ db }),
    sessions: createSessionStore(unshared(db)),
    failures: createLoginFailureStore(db),
    changeRights: changingRights(client, db),
  });
  const user = await resetSecondFactor({ users: createUserStore(unshared(db)), reset }, email);
  log.info(
    { user_id: user._id, organization_id: user.organization_id, operator: operatorName() },
    "an operator has reset a second factor; all sessions of the user have ended",
  );
  return `${email} signs in with the password alone`;
}

async function unlinkFrom({ client, database, log }: Run, { email, provider }: UnlinkProviderCommand): Promise<string> {
  const db = openDatabase(client, database);
  const parts = { identities: createIdentityStore({ db }), sessions: createSessionStore(unshared(db)) };
  const unlink = createUnlink({ ...parts, changeRights: changingRights(client, db) });
  const user = await unlinkProvider({ users: createUserStore(unshared(db)), unlink }, email, provider);
  log.info(
    { user_id: user._id, organization_id: user.organization_id, operator: operatorName(), provider },
    "an operator has unlinked a user from a provider",
  );
  return `${email} is no longer linked to ${provider ?? "any provider"}`;
}

async function allow(
  { client, database, log }: Run,
  { email, organization: id }: AllowPasswordsCommand,
): Promise<string> {
  const db = openDatabase(client, database);
  const parts = { users: createUserStore(unshared(db)), organizations: createOrganizationStore(unshared(db)) };
  const organization = await allowPasswords({ ...parts, changeRights: changingRights(client, db) }, email, id);
  log.info(
    { organization_id: organization._id, operator: operatorName() },
    "an operator has allowed password sign-in again",
  );
  return `The organization of ${email} allows password sign-in again`;
}

async function disable({ client, database, log }: Run, { kind, email }: DisableUserCommand): Promise<string> {
  const db = openDatabase(client, database);
  const parts = {
    users: createUserStore(unshared(db)),
    sessions: createSessionStore(unshared(db)),
    endedMakers: createEndedMakers(unshared(db)),
  };
  const isDisabling = kind === "disable-user";
  const user = await disableUser({ ...parts, changeRights: changingRights(client, db) }, email, isDisabling);
  log.info(
    { user_id: user._id, organization_id: user.organization_id, operator: operatorName() },
    isDisabling ? "an operator has disabled a user; all sessions have ended" : "an operator has enabled a user",
  );
  return isDisabling ? `${email} is disabled: sessions and API keys are rejected` : `${email} can sign in again`;
}

async function list({ client, database }: Run): Promise<string> {
  const lines: string[] = [];
  for await (const line of listOrganizations(openDatabase(client, database))) lines.push(line);
  return lines.length === 0 ? "There are no organizations." : lines.join("\n");
}

function changingRights(client: MongoClient, db: Db): ChangeRights {
  return createChangeRights({
    transaction: createAudited(createTransactions(client), db),
    keyChanges: createKeyChangeLog(db),
    acknowledgements: createAcknowledgements(createGatewayRegistry(db)),
    bus: { publish: () => undefined },
  });
}

/** The driver's messages may contain parts of the URL or of documents, so only names and codes are printed. */
function sentenceOf(error: unknown): string {
  if (error instanceof AdminProblem || error instanceof ConfigError || error instanceof AppError) return error.message;
  if (!(error instanceof MongoError)) throw error;
  const problem =
    error instanceof MongoServerError
      ? `rejected the command (${String(error.codeName)})`
      : `is not reachable (${error.name})`;
  return `MongoDB ${problem}; MONGODB_URL must name the replica set that identity uses.`;
}
