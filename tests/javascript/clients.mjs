// Uses a JavaScript client against a daemon, and prints what it got as JSON: node clients.mjs NAME URL [PYTHON or TEXT]
// PACKAGES is the folder whose node_modules has the clients.
import { createRequire } from "node:module";

const require = createRequire(`${process.env.PACKAGES}/`);
const [, , name, url, more] = process.argv;
const TEA = "I drink oolong tea in the morning";
const QUESTION = "Which tea do I drink in the morning?";
const shown = (said) => [
  { role: "user", content: TEA },
  { role: "assistant", content: said },
  { role: "user", content: QUESTION },
];

const use = {
  async openai() {
    const { OpenAI } = require("openai");
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
    const say = (messages, rest = {}) => client.chat.completions.create({ model: "pi-memory", messages, ...rest });
    const told = await say([{ role: "user", content: TEA }]);
    const again = await say(shown(told.choices[0].message.content));
    const stream = await say([{ role: "user", content: "hello" }], {
      stream: true,
      stream_options: { include_usage: true },
    });
    let streamed = "", usage;
    for await (const chunk of stream) {
      streamed += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    const response = await client.responses.create({ model: "pi-memory", input: "hello" });
    const refused = await say([]).catch((error) => `${error.status} ${error.message}`);
    const unknown = await client.models.retrieve("gpt-5").catch((error) => error.status);
    const models = (await client.models.list()).data.map((model) => model.id);
    return {
      again: again.choices[0].message.content, streamed, tokens: usage.completion_tokens,
      response: response.output_text, refused, unknown, models,
    };
  },

  async vectors() {
    const { OpenAI } = require("openai");
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none" });
    const found = await client.embeddings.create({ model: "m", input: ["tea", "a lorry", "tea"] });
    return { vectors: found.data.map((one) => Array.from(one.embedding)) };
  },

  async ai() {
    const { createOpenAICompatible } = require("@ai-sdk/openai-compatible");
    const { createOpenAI } = require("@ai-sdk/openai");
    const { generateText, streamText } = require("ai");
    const pi = createOpenAICompatible({ name: "pi-memory", baseURL: `${url}/v1`, includeUsage: true });
    const responses = createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" });
    const told = await generateText({ model: pi("pi-memory"), prompt: TEA });
    const again = await generateText({ model: pi("pi-memory"), messages: shown(told.text) });
    const stream = streamText({ model: pi("pi-memory"), prompt: "hello" });
    let streamed = "";
    for await (const text of stream.textStream) streamed += text;
    const response = await generateText({ model: responses("pi-memory"), prompt: "hello" });
    const refused = await generateText({ model: pi("pi-memory-nobody"), prompt: "hello", maxRetries: 0 }).catch(
      (error) => `${error.statusCode} ${error.message}`,
    );
    return {
      again: again.text, streamed, tokens: (await stream.usage).outputTokens, response: response.text, refused,
    };
  },

  // What is said with a client to a conversation of its own: `more` is the text.
  async "say-openai"() {
    const { OpenAI } = require("openai");
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none" });
    const messages = [{ role: "user", content: more }];
    return { said: (await client.chat.completions.create({ model: "pi-memory", messages })).choices[0].message.content };
  },

  async "say-ai"() {
    const { createOpenAICompatible } = require("@ai-sdk/openai-compatible");
    const { generateText } = require("ai");
    const pi = createOpenAICompatible({ name: "pi-memory", baseURL: `${url}/v1` });
    return { said: (await generateText({ model: pi("pi-memory"), prompt: more })).text };
  },

  async mcp() {
    const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
    const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
    const transport = more
      ? new StdioClientTransport({ command: more, args: ["-m", "pi_memory", "mcp"], env: { ...process.env } })
      : new StreamableHTTPClientTransport(new URL(`${url}/mcp`));
    const options = process.env.MCP_MODE === "auto" ? { versionNegotiation: { mode: "auto" } } : {};
    const client = new Client({ name: "test", version: "1" }, options);
    await client.connect(transport);
    const tools = (await client.listTools()).tools.map((tool) => tool.name);
    const content = `The ${process.env.MCP_MODE} ${more ? "piped" : "direct"} valve is behind the shed`;
    await client.callTool({ name: "remember", arguments: { content } });
    const told = await client.callTool({ name: "recall", arguments: { query: content } });
    const wrong = await client.callTool({ name: "recall", arguments: {} });
    const read = await client.readResource({ uri: "pi-memory://recent-focus" });
    await client.close();
    return {
      tools, found: told.structuredContent.results[0].content === content, wrong: wrong.isError,
      focus: read.contents[0].text.slice(0, 1),
    };
  },
};

process.stdout.write(JSON.stringify(await use[name]()));
