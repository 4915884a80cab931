import type { Client } from "@nts/shared/client";
import type { z } from "zod";
import type { Following } from "./results.rules.js";

/** A tool for assistants. Its result is bounded: see `results.rules.ts`. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** It changes something; `destructive` if it may delete. */
  readonly writes?: "destructive";
  /** @throws ApiError as the API responds */
  readonly run: (client: Client, input: z.infer<Input>) => Promise<ToolResult>;
}

export interface ToolResult {
  readonly data: unknown;
  readonly next: Following;
}

/** Keeps the type of the input. */
export function tool<Input extends z.ZodObject>(definition: Tool<Input>): Tool {
  return definition;
}
