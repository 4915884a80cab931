import type { NotificationStore } from "../storage/notifications.js";
import { newsLetter } from "./news-letter.rules.js";
import { isEmpty, type NewsReader } from "./news-reader.js";
import type { Writer } from "./writers.js";

export interface NewsMailParts {
  readonly notifications: Pick<NotificationStore, "find">;
  readonly newsReader: NewsReader;
  readonly publicUrl: string;
}

/** Writes mails about news, read with the rights of the moment; null if the user may see nothing of it any more. */
export function createNewsMails({ notifications, newsReader, publicUrl }: NewsMailParts): Writer<"news"> {
  return async ({ about: { userId, organizationId, ...span } }) => {
    const wanted = await notifications.find(userId, organizationId);
    const reader = wanted && (await newsReader.readerOf(wanted));
    if (wanted === null || reader === null || !reader.mayRead) return null;
    const news = await newsReader.read(wanted, reader, span);
    if (isEmpty(news)) return null;
    return { to: reader.user.email, letter: newsLetter(publicUrl, reader.organization.name, news) };
  };
}
