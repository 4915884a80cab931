import { createClient } from "@nts/shared/client";
import { noteLimit } from "./limit.js";
import { noteRequest } from "./own-requests.js";

/** The API of the gateway that served the page, using the browser's session. TanStack Query decides about retries. */
export const api = createClient({ baseUrl: "", onAnswer: noteAnswer, retries: 0 });

function noteAnswer(answer: Response): void {
  noteLimit(answer);
  noteRequest(answer);
}
