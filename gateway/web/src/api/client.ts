import { createClient } from "@nts/shared/client";
import { noteLimit } from "./limit.js";

/** The API of the gateway that served the page, with the session of the browser. */
export const api = createClient({ baseUrl: "", onAnswer: noteLimit });
