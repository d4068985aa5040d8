// Drives Graphile Worker: `drive_graphile.mjs DSN JOBS`; see `benchmarks.peers.driving`.
// At its best: a local queue of 500, completions in batches.
import readline from "node:readline";
import { Logger, makeWorkerUtils, run } from "graphile-worker";

const [dsn, jobs] = [process.argv[2], Number(process.argv[3])];
const logger = new Logger(() => (level, message) => level === "error" && console.error(message));
const utils = await makeWorkerUtils({ connectionString: dsn, logger });
await utils.migrate();
for (let low = 0; low < jobs; low += 1000) {
  const n = Math.min(1000, jobs - low);
  await utils.addJobs(Array.from({ length: n }, () => ({ identifier: "noop", payload: {} })));
}
let handled = 0;
const noop = async () => {
  if (handled++ === 0) console.log("began", (performance.timeOrigin + performance.now()) / 1000);
};
console.log("ready");
for await (const _ of readline.createInterface({ input: process.stdin })) break;
await run({
  taskList: { noop },
  noHandleSignals: true,
  preset: {
    worker: {
      connectionString: dsn, concurrentJobs: 10, maxPoolSize: 10, logger,
      localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0,
    },
  },
});
