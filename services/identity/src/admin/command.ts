import { parseArgs } from "node:util";
import { AdminProblem } from "./problem.js";

export const HELP = `Repairs accounts directly in the database of identity, for operators.

  npm run admin -- reset-password <email>           give a user a new random password, and print it this once
  npm run admin -- reset-password <email> --stdin   the same with the password that is read from standard input
  npm run admin -- --help                           this text

A reset ends all sessions of the user, on every gateway, and the waits after failed logins; API keys stay as they are.

Settings (environment variables):
  DATA_DIR          folder of the npm start whose database is meant, default .local
  MONGODB_URL       the database, when it was not started by npm start
  MONGODB_DATABASE  its name, default identity
Without npm: node services/identity/dist/admin/main.js reset-password <email>, with the settings of the service.
`;

/** What the operator asks for. `email` is in lower case. */
export type Command =
  { readonly kind: "help" } | { readonly kind: "reset-password"; readonly email: string; readonly fromStdin: boolean };

/** @throws AdminProblem naming what cannot be understood */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parsed(args);
  if (values.help) return { kind: "help" };
  const [name, email, ...more] = positionals;
  if (name === undefined) throw new AdminProblem("Say what to do, such as reset-password <email>; --help tells all.");
  if (name !== "reset-password") throw new AdminProblem(`There is no command ${name}; --help tells all there are.`);
  if (email === undefined || more.length > 0)
    throw new AdminProblem("reset-password takes one email address: reset-password <email>.");
  return { kind: "reset-password", email: email.trim().toLowerCase(), fromStdin: values.stdin };
}

function parsed(args: readonly string[]) {
  const options = {
    help: { type: "boolean", short: "h", default: false },
    stdin: { type: "boolean", default: false },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new AdminProblem(`${(error as Error).message.split(". ")[0] ?? ""}; --help tells what there is.`);
  }
}
