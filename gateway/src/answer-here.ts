import { AppError } from "@nts/shared/errors";
import type { Admission } from "./authenticate/admission.js";
import type { Console } from "./console/console.js";
import { sendEmpty } from "./edge/answers.js";
import type { Exchange } from "./edge/exchange.js";
import { sendFile } from "./files/served-file.js";
import type { Destination } from "./routes.js";

export interface AnswerHereOptions {
  readonly admission: Pick<Admission, "chargeAddress" | "refuse">;
  readonly notFoundFor: Console["notFoundFor"];
}

/** Answers what is no operation. @throws AppError when the request is refused */
export type AnswerHere = (
  exchange: Exchange,
  destination: Exclude<Destination, { kind: "operation" }>,
) => Promise<void>;

/** All but the files of the console is at the cost of the address. */
export function createAnswerHere({ admission, notFoundFor }: AnswerHereOptions): AnswerHere {
  return async (exchange, destination) => {
    if (destination.kind === "console" || destination.kind === "page") {
      exchange.operationId = destination.kind;
      if (destination.kind === "page") await admission.chargeAddress(exchange);
      sendFile(exchange, destination.file);
    } else if (destination.kind === "unknown") {
      const file = notFoundFor(exchange.request);
      if (file === null) await admission.refuse(exchange, new AppError("not_found", { entity: "Path" }));
      await admission.chargeAddress(exchange);
      if (file !== null) sendFile(exchange, file);
    } else {
      exchange.setHeader("Allow", destination.allow);
      if (destination.kind === "wrong-method") await admission.refuse(exchange, new AppError("method_not_allowed"));
      await admission.chargeAddress(exchange);
      sendEmpty(exchange, 204);
    }
  };
}
