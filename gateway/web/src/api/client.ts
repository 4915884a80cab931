import { createClient } from "@nts/shared/client";
import { noteLimit } from "./limit.js";
import { noteRequest } from "./own-requests.js";

/** The API of the gateway that served the page, with the session of the browser. What is asked again is decided by query. */
export const api = createClient({ baseUrl: "", onAnswer: noteAnswer, retries: 0 });

function noteAnswer(answer: Response): void {
  noteLimit(answer);
  noteRequest(answer);
}
