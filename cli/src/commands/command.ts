import type { Command } from "commander";
import { type Connection, connect } from "../connection.js";
import type { Surroundings } from "../terminal.js";

/** Adds a command, or several. */
export type AddCommands = (program: Command, surroundings: Surroundings) => void;

/** The connection that the options of the whole program ask for. */
export function connectFor(command: Command, { terminal }: Surroundings): Promise<Connection> {
  return connect(terminal, command.optsWithGlobals<{ url?: string }>());
}
