import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import * as types from '@modelcontextprotocol/sdk/types.js'
import { listenOnLoopback } from '../setup/loopback.ts'

/** A server of the Model Context Protocol that has what the scenarios of the conformance tool ask for. */
interface McpServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** The names of the callers, by the header that the gateway sets, since the last call; each once. */
  takeCallers(): string[]
}

/** Starts it on loopback, at the path `/mcp`. It has a session for each client, and checks no token. */
export async function startMcpServer(): Promise<McpServer> {
  const transports = new Map<string, StreamableHTTPServerTransport>()
  let callers = new Set<string>()
  async function open(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void transports.set(id, transport),
    })
    await createProtocolServer().connect(transport)
    return transport
  }
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    callers.add(String(request.headers['x-user']))
    const id = request.headers['mcp-session-id']
    const transport = typeof id === 'string' ? transports.get(id) : await open()
    if (transport) await transport.handleRequest(request, response)
    else response.writeHead(404).end()
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    takeCallers: () => {
      const taken = [...callers]
      callers = new Set()
      return taken
    },
    [Symbol.asyncDispose]: async () => {
      for (const transport of transports.values()) await transport.close()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function createProtocolServer(): Server {
  const server = new Server(
    { name: 'gatepass-test', version: '1.0.0' },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} } },
  )
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: Object.entries(tools).map(describeTool) }))
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra) => {
    try {
      const content = await tools[params.name]?.(params.arguments ?? {}, {
        params,
        notify: extra.sendNotification,
        ask: extra.sendRequest,
      })
      return content ? { content } : fail(`there is no ${params.name}`)
    } catch (thrown) {
      return fail((thrown as Error).message)
    }
  })
  server.setRequestHandler(types.ListResourcesRequestSchema, () => ({
    resources: ['test://static-text', 'test://static-binary'].map((uri) => ({ uri, name: uri })),
  }))
  server.setRequestHandler(types.ReadResourceRequestSchema, ({ params: { uri } }) => ({ contents: [read(uri)] }))
  server.setRequestHandler(types.SubscribeRequestSchema, () => ({}))
  server.setRequestHandler(types.UnsubscribeRequestSchema, () => ({}))
  server.setRequestHandler(types.ListPromptsRequestSchema, () => ({
    prompts: Object.keys(prompts).map((name) => ({ name, description: name })),
  }))
  server.setRequestHandler(types.GetPromptRequestSchema, ({ params }) => ({
    messages: (prompts[params.name]?.(params.arguments ?? {}) ?? []).map((content) => ({ role: 'user', content })),
  }))
  server.setRequestHandler(types.CompleteRequestSchema, () => ({ completion: { values: [] } }))
  return server
}

type Content = types.CallToolResult['content'][number]
type Arguments = Readonly<Record<string, unknown>>

/** The parts of a call besides the arguments. */
interface CallParts {
  readonly params: types.CallToolRequest['params']
  readonly notify: (notification: types.ServerNotification) => Promise<void>
  /** Asks the client in the answer to its call: the stream that it opens beside its calls may not be there yet. */
  readonly ask: RequestHandlerExtra<types.ServerRequest, types.ServerNotification>['sendRequest']
}

const fail = (words: string) => ({ isError: true, content: [text(words)] })
const text = (words: string) => ({ type: 'text', text: words }) as const
const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const
const toResource = (uri: string) =>
  ({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'a' } }) as const

/** By the names that the conformance tool calls. */
const tools: Readonly<Record<string, (given: Arguments, parts: CallParts) => Promise<Content[]> | Content[]>> = {
  test_simple_text: () => [text('This is a simple text response for testing.')],
  test_image_content: () => [image],
  test_audio_content: () => [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }],
  test_embedded_resource: () => [toResource('test://embedded-resource')],
  test_multiple_content_types: () => [text('a'), image, toResource('test://mixed-content-resource')],
  test_error_handling: () => {
    throw new Error('This tool intentionally returns an error for testing')
  },
  async test_tool_with_logging(_, { notify }) {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await notify({ method: 'notifications/message', params: { level: 'info', data } })
      await wait(50) // the gateway has to pass each on when it comes
    }
    return [text('done')]
  },
  async test_tool_with_progress(_, { notify, params }) {
    const progressToken = params._meta?.progressToken ?? 0
    for (const progress of [0, 50, 100]) {
      await notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
      await wait(50)
    }
    return [text('done')]
  },
  async test_sampling({ prompt }, { ask }) {
    const params = { messages: [{ role: 'user' as const, content: text(String(prompt)) }], maxTokens: 100 }
    const answer = await ask({ method: 'sampling/createMessage', params }, types.CreateMessageResultSchema)
    return [text(`LLM response: ${JSON.stringify(answer.content)}`)]
  },
  test_elicitation: ({ message }, { ask }) =>
    elicit(ask, String(message), { response: { type: 'string' } }, 'User response'),
  test_elicitation_sep1034_defaults: (_, { ask }) =>
    elicit(ask, 'defaults', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  test_elicitation_sep1330_enums: (_, { ask }) => elicit(ask, 'enums', enumProperties),
  json_schema_2020_12_tool: () => [text('a')],
}

type Properties = types.ElicitRequestFormParams['requestedSchema']['properties']

const titled = [1, 2, 3].map((number) => ({ const: `value${number}`, title: `Option ${number}` }))
const enumProperties: Properties = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: { type: 'string', oneOf: titled },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: { type: 'array', items: { anyOf: titled } },
}

async function elicit(ask: CallParts['ask'], message: string, properties: Properties, words = 'Elicitation completed') {
  const requestedSchema = { type: 'object', properties } as const
  const params = { mode: 'form', message, requestedSchema } as const
  const { action, content } = await ask({ method: 'elicitation/create', params }, types.ElicitResultSchema)
  return [text(`${words}: action=${action}, content=${JSON.stringify(content)}`)]
}

function describeTool([name]: readonly [string, unknown]): types.Tool {
  return { name, description: name, inputSchema: name.startsWith('json_schema') ? wholeSchema : { type: 'object' } }
}

/** A schema whose key words the listing has to keep. */
const wholeSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
} as const

function read(uri: string): types.ReadResourceResult['contents'][number] {
  return uri === 'test://static-binary'
    ? { uri, mimeType: 'image/png', blob: 'AAAA' }
    : { uri, mimeType: 'text/plain', text: uri }
}

/** By the names that the conformance tool asks for. */
const prompts: Readonly<Record<string, (given: Arguments) => types.PromptMessage['content'][]>> = {
  test_simple_prompt: () => [text('This is a simple prompt for testing.')],
  test_prompt_with_arguments: (given) => [text(JSON.stringify(given))],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [toResource(String(resourceUri)), text('a')],
  test_prompt_with_image: () => [image, text('a')],
}
