// Drives pg-boss: `drive_pgboss.mjs DSN JOBS`; see `benchmarks.peers.driving`.
// At its best: four workers with batches of 500, polling as often as it may be told to.
import readline from "node:readline";
import PgBoss from "pg-boss";

const [dsn, jobs] = [process.argv[2], Number(process.argv[3])];
const boss = new PgBoss({ connectionString: dsn, max: 10 });
boss.on("error", (error) => console.error(error.message));
await boss.start();
await boss.createQueue("noop");
for (let low = 0; low < jobs; low += 1000) {
  const n = Math.min(1000, jobs - low);
  await boss.insert(Array.from({ length: n }, () => ({ name: "noop", data: {} })));
}
let handled = 0;
const noop = async (batch) => {
  if (handled === 0) console.log("began", (performance.timeOrigin + performance.now()) / 1000);
  handled += batch.length;
};
console.log("ready");
for await (const _ of readline.createInterface({ input: process.stdin })) break;
for (let n = 0; n < 4; n++) await boss.work("noop", { batchSize: 500, pollingIntervalSeconds: 0.5 }, noop);
