// The TypeScript SDK 1.x, which most hosts of models have inside.
import { args, command, headers, job, load, meet } from "./meeting.mjs";

const name = "@modelcontextprotocol/sdk";
const { Client } = await load(`${name}/client/index.js`);
const http = await load(`${name}/client/streamableHttp.js`);
const stdio = await load(`${name}/client/stdio.js`);

const options = { requestInit: { headers } };
const transport =
  job.transport === "http"
    ? new http.StreamableHTTPClientTransport(new URL(job.url), options)
    : new stdio.StdioClientTransport({ command, args, env: job.environment });
let revision = "";
const set = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (said) => {
  revision = said;
  set?.(said);
};
const client = new Client({ name: "trial", version: "1" });
await meet(name, client, transport, () => revision);
process.exit(0);
