import { hostname } from "node:os";
import { createKey, PERMISSIONS, rotateKey, whoami } from "@nts/shared/contract";
import { type Command, Option } from "commander";
import { type Connection, withSession } from "../connection.js";
import { idOf } from "../find.js";
import { durationIn } from "../moments.js";
import { type OutputOptions, outputOption } from "../options.js";
import { format } from "../output.js";
import { resourceNamed } from "../resources.js";
import { type Choice, keyIn, readSettings, removeContext, storeSettings } from "../settings.js";
import { EXIT, Problem, type Terminal } from "../terminal.js";
import { type AddCommands, connectFor } from "./command.js";

interface LoginOptions {
  readonly url?: string;
  readonly context?: string;
  readonly key?: boolean;
  readonly level: string;
  readonly name: string;
  readonly network?: readonly string[];
  readonly collect?: boolean;
  readonly password?: true;
}

export const addLogin: AddCommands = (program, surroundings) => {
  const { terminal } = surroundings;
  program
    .command("login")
    .description(
      "sign in by a code to enter in the console: creates an API key for this machine, and stores it readable by you only",
    )
    .option("--password", "sign in by email address and password; implied by NTS_PASSWORD")
    .option("--key", "store an existing key, which is prompted for or read from standard input")
    .addOption(new Option("--level <level>", "what the new key may do").choices(PERMISSIONS).default("Member"))
    .option("-n, --network <names...>", "restrict the new key to these networks")
    .option("--collect", "the new key can only import, for nts collect")
    .option("--name <name>", "name of the new key", `nts on ${hostname()}`)
    .action(async (_options, command: Command) => {
      await signIn(terminal, command.optsWithGlobals<LoginOptions>());
    });
  program
    .command("logout")
    .description("remove the context with its key from this machine; the key itself can be deleted in the console")
    .action(async (_options, command: Command) => {
      const { context } = await readSettings(terminal, command.optsWithGlobals<Choice>());
      if (context === null) {
        terminal.say("Nothing is stored for this server.");
        return;
      }
      await removeContext(terminal, context);
      terminal.say(
        `The key of ${context} is removed from this machine. It is valid until it is deleted in the console.`,
      );
    });
  program
    .command("whoami")
    .description("the owner and permissions of the key")
    .addOption(outputOption("yaml"))
    .action(async ({ output }: OutputOptions, command: Command) => {
      const { client } = await connectFor(command, surroundings);
      terminal.print(format([await client.call(whoami, {})], output, { isOne: true }));
    });
};

async function signIn(terminal: Terminal, options: LoginOptions): Promise<void> {
  const settings = await readSettings(terminal, options, { mayBeNew: true });
  const kept = options.key === true ? await keyOf(terminal) : null;
  const { apiKey, email } =
    kept === null
      ? await withSession(
          terminal,
          settings,
          async (connection, signedIn) => ({ apiKey: await newKey(connection, options), email: signedIn }),
          { byPassword: options.password, waits: true },
        )
      : { apiKey: kept, email: null };
  terminal.say(`The key is in ${await storeSettings(terminal, { ...settings, apiKey, email })}.`);
}

/** Never on the command line, where others can read it. */
async function keyOf(terminal: Terminal): Promise<string> {
  const key = terminal.isInteractive ? await terminal.ask("API key: ", true) : await terminal.input();
  if (key.trim() === "") throw new Problem(EXIT.usage, "No key was given.");
  return key.trim();
}

async function newKey(connection: Connection, { name, level, network, collect }: LoginOptions): Promise<string> {
  const { user, organization } = await connection.client.call(whoami, {});
  const ids = network && (await Promise.all(network.map((one) => idOf(connection, resourceNamed("networks"), one))));
  const { key } = await connection.client.call(createKey, {
    body: {
      ...{ name, user_id: user.id, organization_id: organization.id, tags: [], permissions: level as "Member" },
      ...(ids !== undefined && { network_ids: ids }),
      ...(collect === true && { scope: "collect" as const }),
    },
  });
  return key;
}

export const addKey: AddCommands = (program, surroundings) => {
  const { terminal } = surroundings;
  const key = program.command("key").description("the stored API key");
  key
    .command("rotate")
    .description("rotate the key and store the new secret; asks for a sign-in")
    .option("--grace <duration>", "how long the old secret stays valid, such as 1h; a number is in seconds", "0")
    .action(async ({ grace }: { grace: string }, command: Command) => {
      const grace_seconds = secondsIn(grace);
      const connection = await connectFor(command, surroundings);
      if (keyIn(terminal) !== null)
        throw new Problem(EXIT.usage, "The key is set by NTS_API_KEY, which cannot be changed: unset it first.");
      const { credential_id: id } = await connection.client.call(whoami, {});
      const { settings } = connection;
      const rotated = await withSession(terminal, settings, async ({ client }, email) => ({
        apiKey: await client.call(rotateKey, { params: { id }, query: { grace_seconds } }),
        email,
      }));
      terminal.say(`The new key is in ${await storeSettings(terminal, { ...settings, ...rotated })}.`);
    });
};

function secondsIn(duration: string): number {
  const ms = durationIn(duration) ?? (/^\d+$/.test(duration) ? Number(duration) * 1_000 : null);
  if (ms === null)
    throw new Problem(EXIT.usage, "--grace must be a duration such as 1h or 30m, or a number of seconds.");
  return Math.ceil(ms / 1_000);
}
