// Preloaded into jest and its workers: they end when the process that started them is killed, instead of starting ever
// more servers that nobody will stop.
const parent = process.ppid;
const POLL_MS = 500;

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, POLL_MS).unref();
