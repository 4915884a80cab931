/**
 * A typical gateway of standard packages: express 5, http-proxy-middleware, rate-limiter-flexible, a keep-alive agent,
 * and keys cached in the process, without envelopes. Arguments: port, upstream URL, Redis URL, key.
 */
import { Agent } from "node:http";
import express from "express";
import { createProxyMiddleware } from "http-proxy-middleware";
import { Redis } from "ioredis";
import { RateLimiterRedis } from "rate-limiter-flexible";

const [port, target, redisUrl, key = ""] = process.argv.slice(2);
const users = new Map([[`Bearer ${key}`, "user"]]);
const limiter = new RateLimiterRedis({
  storeClient: new Redis(redisUrl ?? "", { enableAutoPipelining: true }),
  keyPrefix: "stock",
  points: 100_000_000,
  duration: 60,
});

const app = express();
app.use(async (request, response, next) => {
  const user = users.get(request.headers.authorization ?? "");
  if (user === undefined) {
    response.status(401).json({ error: "not authenticated" });
    return;
  }
  const level = await limiter.consume(user);
  response.set("X-RateLimit-Remaining", String(level.remainingPoints));
  next();
});
app.use(createProxyMiddleware({ target: target ?? "", agent: new Agent({ keepAlive: true, maxSockets: 256 }) }));
app.listen(Number(port), "127.0.0.1");
