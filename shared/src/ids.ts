import { v7 } from "uuid";

/** A new UUID v7; the ids of one process increase over time. */
export const newId = (): string => v7();
