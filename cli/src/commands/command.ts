import type { Command } from "commander";
import type { AnyEndpoint } from "@nts/shared/contract";
import { type Connection, connect, withSession } from "../connection.js";
import { readSettings } from "../settings.js";
import type { Surroundings } from "../terminal.js";

/** Adds a command, or several. */
export type AddCommands = (program: Command, surroundings: Surroundings) => void;

/** The connection that the options of the whole program ask for. */
export function connectFor(command: Command, { terminal }: Surroundings): Promise<Connection> {
  return connect(terminal, command.optsWithGlobals<{ url?: string }>());
}

/** Uses a connection that may call the operation: what API keys may not do needs the person's password. */
export async function connectedFor(
  command: Command,
  surroundings: Surroundings,
  { credential }: Pick<AnyEndpoint, "credential">,
  use: (connection: Connection) => Promise<void>,
): Promise<void> {
  if (credential !== "session") return use(await connectFor(command, surroundings));
  const { terminal } = surroundings;
  await withSession(terminal, await readSettings(terminal, command.optsWithGlobals<{ url?: string }>().url), use);
}
