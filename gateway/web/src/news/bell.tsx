import { ActionIcon, Anchor, Indicator, Popover, Text } from "@mantine/core";
import type { ChangesPage } from "@nts/shared/client";
import type { Change } from "@nts/shared/contract";
import { Bell as BellIcon } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { type ChangeSource, changesBy, useChanges } from "../activity/sources.js";
import { When } from "../parts/when.js";
import { HEAD_START_MS } from "../live/follower.js";
import { hostPath, PATHS } from "../paths.js";
import { useSession } from "../session/session.js";
import classes from "./bell.module.css";
import { newsAmong, newsText } from "./news.js";

/** Shown at once; the others are on the pages to which the window leads. */
const SHOWN = 8;

const NOTHING: ChangesPage<Change[]> = { data: [], next: null };

/** What is new since the user has last looked, on this machine. */
export function Bell(): ReactNode {
  const { user, organization } = useSession();
  const key = `nts-news-${user.id}-${organization.id}`;
  const [since, setSince] = useState(() => lastLook(key));
  const [shown, setShown] = useState<readonly Change[] | null>(null);
  const news = useNews(since);
  const look = (): void => {
    const now = new Date().toISOString();
    setShown(news);
    localStorage.setItem(key, now);
    setSince(now);
  };
  const label = news.length === 0 ? "News: nothing new" : `News: ${news.length} new`;
  return (
    <Popover
      opened={shown !== null}
      onChange={() => setShown(null)}
      position="bottom-end"
      width={320}
      withinPortal
      trapFocus
    >
      <Indicator
        disabled={news.length === 0}
        label={news.length > 99 ? "99+" : news.length}
        size={16}
        offset={5}
        color="orange"
      >
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={label}
            onClick={() => (shown === null ? look() : setShown(null))}
          >
            <BellIcon size={18} aria-hidden />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown>
        <NewsList news={shown ?? []} onFollow={() => setShown(null)} />
      </Popover.Dropdown>
    </Popover>
  );
}

function NewsList({ news, onFollow }: { readonly news: readonly Change[]; readonly onFollow: () => void }): ReactNode {
  return (
    <div className={classes.news}>
      {news.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing is new since you have last looked.
        </Text>
      ) : (
        <ul>
          {news.slice(0, SHOWN).map((one) => (
            <li key={one.cursor}>
              <span className={classes.what}>
                <Anchor component={Link} to={hostPath(one.entity_id)} size="sm" onClick={onFollow}>
                  {one.name}
                </Anchor>{" "}
                {newsText(one)}
              </span>
              <Text size="xs" c="dimmed" component="span" className={classes.when ?? ""}>
                <When at={one.at} />
              </Text>
            </li>
          ))}
        </ul>
      )}
      {news.length > SHOWN && (
        <Text size="sm" c="dimmed">
          And {news.length - SHOWN} more.
        </Text>
      )}
      <div className={classes.more}>
        <Anchor component={Link} to={`${PATHS.hosts}?known=false`} size="sm" onClick={onFollow}>
          All strangers
        </Anchor>
        <Anchor component={Link} to={PATHS.notSeen} size="sm" onClick={onFollow}>
          Everything not seen
        </Anchor>
      </div>
    </div>
  );
}

/** The newest of each kind; those of the moment come by the stream of changes. */
function useNews(since: string): Change[] {
  const created = useChanges(newsBy("created", since));
  const missed = useChanges(newsBy("missed", since));
  const returned = useChanges(newsBy("returned", since));
  return newsAmong([created, missed, returned].flatMap(({ entries }) => entries));
}

/** Since a moment ago, there is nothing to read: the stream of changes starts earlier. */
function newsBy(action: Change["action"], since: string): ChangeSource {
  const source = changesBy({ entity: "Host", action, since });
  const isNow = (): boolean => Date.now() - Date.parse(since) < HEAD_START_MS;
  return { ...source, page: async (after, signal) => (isNow() ? NOTHING : source.page(after, signal)) };
}

/** Nothing is new to somebody who looks for the first time. */
function lastLook(key: string): string {
  const known = localStorage.getItem(key);
  if (known !== null && !Number.isNaN(Date.parse(known))) return known;
  const now = new Date().toISOString();
  localStorage.setItem(key, now);
  return now;
}
