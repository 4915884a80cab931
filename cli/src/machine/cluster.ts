import type { Surroundings } from "../terminal.js";
import type { Findings } from "./found.js";

const KUBECTL = ["get", "nodes,services,pods", "--all-namespaces", "--output", "json", "--request-timeout", "20s"];

/** The cluster that `kubectl` of this machine is set up for. */
export async function readCluster(run: Surroundings["run"]): Promise<Findings> {
  if ((await run("kubectl", ["config", "current-context"])) === null) return { files: [], unread: [] };
  const text = (await run("kubectl", KUBECTL))?.trim() ?? "";
  if (text === "") {
    const reason = `kubernetes: kubectl ${KUBECTL.slice(0, 2).join(" ")} failed or shows nothing.`;
    return { files: [], unread: [reason] };
  }
  return { files: [{ source: "kubernetes", format: "kubernetes", text, isOwn: false }], unread: [] };
}
