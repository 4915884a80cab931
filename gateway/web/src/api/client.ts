import { createClient } from "@nts/shared/client";
import { noteLimit } from "./limit.js";
import { noteRequest } from "./own-requests.js";

/** The API of the gateway that served the page, with the session of the browser. */
export const api = createClient({ baseUrl: "", onAnswer: noteAnswer });

function noteAnswer(answer: Response): void {
  noteLimit(answer);
  noteRequest(answer);
}
