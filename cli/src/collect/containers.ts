import { request } from "node:http";
import type { Surroundings } from "../terminal.js";
import type { Findings } from "./found.js";

const SOCKET = "/var/run/docker.sock";
/** With it in its first line, a file has every container that runs. */
const COMMAND = "# docker inspect $(docker ps -q)";

/** `docker inspect` of the running containers, by the command or else the Docker socket. */
export async function inspectContainers({ run }: Pick<Surroundings, "run">, socketPath = SOCKET): Promise<Findings> {
  const ids = await run("docker", ["ps", "-q"]);
  if (ids === null) return inspectBySocket(socketPath);
  const list = ids.split("\n").filter((id) => id !== "");
  const text = list.length === 0 ? "[]" : await run("docker", ["inspect", ...list]);
  return text === null ? { files: [], unread: ["docker: docker inspect failed."] } : found(text);
}

function found(text: string): Findings {
  return {
    files: [{ source: "docker", format: "docker", text: `${COMMAND}\n${text.trim()}`, isOwn: true }],
    unread: [],
  };
}

async function inspectBySocket(socketPath: string): Promise<Findings> {
  try {
    const ask = (path: string): Promise<string> => askSocket(socketPath, path);
    const containers = JSON.parse(await ask("/containers/json")) as readonly { readonly Id: string }[];
    const inspected: string[] = [];
    for (const { Id } of containers) inspected.push(await ask(`/containers/${encodeURIComponent(Id)}/json`));
    return found(`[${inspected.join(",")}]`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { files: [], unread: [] };
    return { files: [], unread: [`docker: ${socketPath} cannot be read (${code ?? message}).`] };
  }
}

function askSocket(socketPath: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request({ socketPath, path, timeout: 10_000 }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`HTTP ${response.statusCode ?? 0}`));
      });
    });
    asking.on("error", reject);
    asking.on("timeout", () => asking.destroy(new Error("Docker does not respond")));
    asking.end();
  });
}
