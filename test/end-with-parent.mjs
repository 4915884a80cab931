// Preloaded into jest and its workers: they end when their parent is killed, instead of starting more servers that
// nobody stops.
const parent = process.ppid;
const POLL_MS = 500;

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, POLL_MS).unref();
