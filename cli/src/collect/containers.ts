import { request } from "node:http";
import type { Surroundings } from "../terminal.js";

const SOCKET = "/var/run/docker.sock";

/** `docker inspect` of the running containers, by the command or else the Docker socket. */
export async function inspectContainers({ run }: Surroundings): Promise<string | null> {
  const ids = await run("docker", ["ps", "-q"]);
  if (ids === null) return inspectBySocket().catch(() => null);
  const list = ids.split("\n").filter((id) => id !== "");
  return list.length === 0 ? null : run("docker", ["inspect", ...list]);
}

async function inspectBySocket(): Promise<string> {
  const containers = JSON.parse(await ask("/containers/json")) as readonly { readonly Id: string }[];
  const inspected: string[] = [];
  for (const { Id } of containers) inspected.push(await ask(`/containers/${encodeURIComponent(Id)}/json`));
  return `[${inspected.join(",")}]`;
}

function ask(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request({ socketPath: SOCKET, path, timeout: 10_000 }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("error", reject);
      response.on("end", () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))));
    });
    asking.on("error", reject);
    asking.on("timeout", () => asking.destroy(new Error("Docker does not respond")));
    asking.end();
  });
}
