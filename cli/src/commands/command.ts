import type { Command } from "commander";
import type { AnyEndpoint } from "@nts/shared/contract";
import { type Connection, connect, withSession } from "../connection.js";
import { type Choice, readSettings } from "../settings.js";
import type { Surroundings } from "../terminal.js";

/** Adds commands. */
export type AddCommands = (program: Command, surroundings: Surroundings) => void;

/** The connection for the program's global options. */
export function connectFor(command: Command, { terminal }: Surroundings): Promise<Connection> {
  return connect(terminal, command.optsWithGlobals<Choice>());
}

/** Uses a connection that may call the operation: what API keys may not do requires the user's password. */
export async function connectedFor(
  command: Command,
  surroundings: Surroundings,
  { credential }: Pick<AnyEndpoint, "credential">,
  use: (connection: Connection) => Promise<void>,
): Promise<void> {
  if (credential !== "session") return use(await connectFor(command, surroundings));
  const { terminal } = surroundings;
  await withSession(terminal, await readSettings(terminal, command.optsWithGlobals<Choice>()), use);
}
