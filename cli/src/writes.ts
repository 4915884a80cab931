import type { ApiResponse } from "@nts/client/transport";
import { operationOf } from "@nts/shared/client";
import type { AnyEndpoint } from "@nts/shared/contract";
import type { Connection } from "./connection.js";
import { withNamesIn } from "./plan-names.js";
import { planText } from "./plans.js";
import type { Terminal } from "./terminal.js";

export async function send(connection: Connection, operation: AnyEndpoint, input: object): Promise<ApiResponse> {
  // Without If-None-Match there is no 304.
  return (await connection.transport.send(operationOf(operation), input)) as ApiResponse;
}

/** Shows what a write would change. @returns the ETag for exactly that */
export async function showPlan(
  terminal: Terminal,
  connection: Connection,
  operation: AnyEndpoint,
  input: object,
): Promise<string> {
  const { meta } = await send(connection, operation, { ...input, query: { dry_run: true } });
  terminal.say(planText(await withNamesIn(connection, meta.plan)));
  return meta.plan.etag;
}
