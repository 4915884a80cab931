import { request, type RequestOptions } from "node:http";

/** Sends a request, and disconnects when the response begins. */
export function abandon(options: RequestOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(options, (response) => {
      response.once("data", () => {
        clientRequest
          .off("error", reject)
          .on("error", () => undefined)
          .destroy();
        resolve();
      });
    });
    clientRequest.on("error", reject).end();
  });
}
