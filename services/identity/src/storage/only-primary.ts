import type { MongoClient, ServerDescription } from "mongodb";

/** Whether no other member of a server's set can be elected, so that it cannot have been deposed without knowing it. */
function isOnlyPrimary({ type, hosts }: Pick<ServerDescription, "type" | "hosts">): boolean {
  return type === "RSPrimary" && hosts.length === 1;
}

/** Follows by the heartbeats of a client whether its primary is the only possible one; false until it has connected. */
export function followOnlyPrimary(client: MongoClient): () => boolean {
  let isOnly = false;
  client.on("serverDescriptionChanged", ({ newDescription }) => {
    isOnly = isOnlyPrimary(newDescription);
  });
  return () => isOnly;
}
