import type { Surroundings } from "../terminal.js";
import type { Findings } from "./found.js";

const OPTIONS = ["-H", "-tunap"];

/** The sockets of this machine, those that are connected included. With the command in its first line, the file has all. */
export async function readSockets(run: Surroundings["run"]): Promise<Findings> {
  const text = (await run("ss", OPTIONS))?.trim() ?? "";
  if (text === "") return { files: [], unread: [] };
  return {
    files: [{ source: "ss", format: "ss", text: `# ss ${OPTIONS.join(" ")}\n${text}`, isOwn: true }],
    unread: [],
  };
}
