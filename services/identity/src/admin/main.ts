import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { text } from "node:stream/consumers";
import { MongoError, type MongoClient } from "mongodb";
import { ConfigError, readConfig } from "@nts/shared/config";
import { Password } from "@nts/shared/contract/users";
import { createLog } from "@nts/shared/log";
import { createMongoClient } from "@nts/shared/mongo/connect";
import { createTransactions } from "@nts/shared/mongo/transaction";
import { IdentitySettings } from "../config.js";
import { createAcknowledgements } from "../key-changes/acknowledgements.js";
import { createChangeRights } from "../key-changes/change-rights.js";
import { createKeyChangeLog } from "../key-changes/log.js";
import { createGatewayRegistry } from "../key-changes/registry.js";
import { createLoginFailureStore } from "../logins/store.js";
import { createSessionStore } from "../sessions/store.js";
import { createChangePassword } from "../users/change-password.js";
import { createPasswords } from "../users/passwords.js";
import { createUserStore } from "../users/store.js";
import { HELP, readCommand, type Command } from "./command.js";
import { AdminProblem } from "./problem.js";
import { resetPassword, type ResetPasswordOptions } from "./reset-password.js";

// What an operator does directly in the database, whether identity runs or not. Gateways that run learn of it by the record
// of key changes, without a notice on the bus. Standard output is for the operator, standard error for the log.

const AdminSettings = IdentitySettings.pick({ MONGODB_URL: true, MONGODB_DATABASE: true });

process.exitCode = await main().catch((error: unknown) => {
  if (!(error instanceof AdminProblem || error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  return 1;
});

async function main(): Promise<number> {
  const command = readCommand(process.argv.slice(2));
  if (command.kind === "help") {
    process.stdout.write(HELP);
    return 0;
  }
  const settings = readConfig(AdminSettings, process.env);
  const client = createMongoClient(settings.MONGODB_URL, "identity-admin");
  try {
    await reset(client, settings.MONGODB_DATABASE, command);
    return 0;
  } finally {
    await client.close();
  }
}

async function reset(
  client: MongoClient,
  database: string,
  { email, fromStdin }: Extract<Command, { kind: "reset-password" }>,
): Promise<void> {
  const password = fromStdin ? await passwordFromStdin() : randomBytes(18).toString("base64url");
  await connect(client);
  const user = await resetPassword(await parts(client, database), email, password);
  createLog("identity-admin", "info", 2).info(
    { user_id: user._id, organization_id: user.organization_id, operator: userInfo().username },
    "an operator has reset a password; all sessions of the user have ended",
  );
  process.stdout.write(
    fromStdin
      ? `The password of ${email} has been changed.\n`
      : `The new password of ${email}, shown once: ${password}\n`,
  );
}

async function parts(client: MongoClient, database: string): Promise<ResetPasswordOptions> {
  const db = client.db(database);
  const changeRights = createChangeRights({
    transaction: createTransactions(client),
    keyChanges: createKeyChangeLog(db),
    acknowledgements: createAcknowledgements(createGatewayRegistry(db)),
    bus: { publish: () => undefined },
  });
  const users = createUserStore(db);
  const sessions = createSessionStore(db);
  const change = createChangePassword({ users, sessions, passwords: await createPasswords(), changeRights });
  return { users, failures: createLoginFailureStore(db), change };
}

async function connect(client: MongoClient): Promise<void> {
  try {
    await client.connect();
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
    throw new AdminProblem(
      `MongoDB does not answer (${error.name}); MONGODB_URL must name the one that identity uses.`,
    );
  }
}

/** One trailing line break belongs to the terminal and not to the password. */
async function passwordFromStdin(): Promise<string> {
  const password = Password.safeParse((await text(process.stdin)).replace(/\r?\n$/, ""));
  if (password.success) return password.data;
  throw new AdminProblem(`The password ${password.error.issues.map(({ message }) => message).join(", ")}.`);
}
