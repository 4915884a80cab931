import type { Client } from "@nts/shared/client";
import { z } from "zod";
import type { Following } from "./results.rules.js";

/** A tool for assistants. Its result is bounded: see `results.rules.ts`. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** Of `data`. */
  readonly output: Output;
  /** It changes something; `destructive` if it may delete. */
  readonly writes?: "additive" | "destructive";
  /** @throws ApiError as the API responds · Refusal */
  readonly run: (client: Client, input: z.infer<Input>) => Promise<ToolResult<z.infer<Output>>>;
}

export interface ToolResult<Data = Record<string, unknown>> {
  readonly data: Data;
  readonly next: Following;
}

/** Keeps the types of input and output. */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(definition: Tool<Input, Output>): Tool {
  return definition;
}

/** The schema of a structured result. @param data that of the tool */
export function structuredSchema(data: z.ZodObject): z.ZodObject {
  return z.object({ note: z.string(), data, next: z.string() });
}

/** Arguments that no request can be made of. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  /** @param next what to do instead */
  constructor(
    message: string,
    readonly next: string,
  ) {
    super(message);
  }
}
