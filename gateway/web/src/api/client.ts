import { createClient } from "@nts/shared/client";
import { noteLimit } from "./limit.js";
import { noteRequest } from "./own-requests.js";

/** The API of the gateway that served the page, using the browser's session. TanStack Query decides about retries. */
export const api = createClient({ baseUrl: "", onResponse: noteResponse, retries: 0 });

function noteResponse(response: Response): void {
  noteLimit(response);
  noteRequest(response);
}
