// The TypeScript client 2.x, which speaks in both eras.
import { args, command, headers, job, load, meet } from "./meeting.mjs";

const name = "@modelcontextprotocol/client";
const { Client, StreamableHTTPClientTransport } = await load(name);
const { StdioClientTransport } = await load(`${name}/stdio`);

const transport =
  job.transport === "http"
    ? new StreamableHTTPClientTransport(new URL(job.url), { requestInit: { headers } })
    : new StdioClientTransport({ command, args, env: job.environment });
const client = new Client(
  { name: "trial", version: "1" },
  { versionNegotiation: { mode: job.mode } },
);
await meet(name, client, transport, () => client.getNegotiatedProtocolVersion());
process.exit(0);
