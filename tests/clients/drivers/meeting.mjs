// What the two TypeScript clients have in common: read the job, list, call, tell.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const job = JSON.parse(readFileSync(0, "utf8"));

// The packages are installed elsewhere: in the folder that the first argument names.
const folder = process.argv[2];
const require = createRequire(join(folder, "package.json"));

export const load = (name) => {
  const path = require.resolve(name);
  return import(pathToFileURL(path).href);
};

const versionOf = (name) => {
  const path = join(folder, "node_modules", name, "package.json");
  return JSON.parse(readFileSync(path, "utf8")).version;
};

export async function meet(name, client, transport, revision) {
  await client.connect(transport);
  const taken = [];
  let cursor;
  do {
    const page = await client.listTools(cursor ? { cursor } : {});
    taken.push(...page.tools.map((tool) => tool.name));
    cursor = page.nextCursor;
  } while (cursor);
  if (taken.includes(job.call)) {
    const answer = await client.callTool({ name: job.call, arguments: {} });
    if (answer.isError) throw new Error(answer.content[0].text);
  }
  const agreed = revision();
  await client.close();
  const report = { version: versionOf(name), revision: agreed, taken };
  process.stdout.write(`\n${JSON.stringify(report)}\n`);
}

export const headers = { Authorization: `Bearer ${job.token}` };
export const [command, ...args] = job.command;
