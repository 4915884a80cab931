import { AppError } from "@nts/shared/errors";
import type { Console } from "../console/console.js";
import { sendEmpty } from "../edge/responses.js";
import type { Exchange } from "../edge/exchange.js";
import { sendFile } from "../files/served-file.js";
import type { Destination } from "./routes.js";

/** Responds to everything that is not an operation. @throws AppError `not_found` · `method_not_allowed` */
export type RespondLocally = (
  exchange: Exchange,
  destination: Exclude<Destination, { kind: "operation" | "share" }>,
) => void;

export function createRespondLocally(notFoundFor: Console["notFoundFor"]): RespondLocally {
  return (exchange, destination) => {
    if (destination.kind === "console" || destination.kind === "page") {
      exchange.operationId = destination.kind;
      sendFile(exchange, destination.file);
    } else if (destination.kind === "unknown") {
      const file = notFoundFor(exchange.request);
      if (file === null) throw new AppError("not_found", { entity: "Path" });
      sendFile(exchange, file);
    } else {
      exchange.setHeader("Allow", destination.allow);
      if (destination.kind === "wrong-method") throw new AppError("method_not_allowed");
      sendEmpty(exchange, 204);
    }
  };
}
