import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { closeServer, listenOnLoopback } from '../../setup/loopback.ts'

/** A request for an answer of the model: the token that it carried, and the status that it got. */
interface InferenceRecord {
  readonly token: string | undefined
  readonly status: number
}

/** A tool call that the model asks a client for before it says anything. */
interface ToolCall {
  /** Such as `view_image`, or `mcp__desk/whoami` for the tool `whoami` of the MCP server `desk`. */
  readonly name: string
  /** The arguments of the tool. */
  readonly input: object
  /** Waited for before the client hears of it. */
  readonly meanwhile?: () => Promise<void> | void
}

/** A gateway on loopback with a model behind it, in the shapes that real clients speak. */
export interface InferenceGateway extends AsyncDisposable {
  readonly url: string
  readonly records: readonly InferenceRecord[]
  /** The outputs of the tools that the model has called. */
  readonly toolOutputs: readonly string[]
  /** Refuses every token that it has seen, as after a leak. */
  revokeSeen(): void
  /** Has the model call this tool instead of its next answer. Only the Responses API has this. */
  callNext(call: ToolCall): void
}

/** The words that the model answers everything with. */
export const modelSays = 'Hello from behind the gateway.'

/**
 * Starts a gateway that accepts tokens by a pattern. Its answers are streamed as the clients read them: the Responses API
 * (`codex-rs/codex-api/src/sse/responses.rs` of openai/codex), the Messages API (`packages/anthropic` of vercel/ai) and
 * `streamGenerateContent` (`src/_api_client.ts` of googleapis/js-genai). What nobody asked for gets 501.
 */
export async function startInferenceGateway(accepted: RegExp): Promise<InferenceGateway> {
  const records: InferenceRecord[] = []
  const toolOutputs: string[] = []
  const revoked = new Set<string | undefined>()
  const calls: ToolCall[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const shape = Object.entries(shapes).find(([path]) => request.url?.includes(path))?.[1]
    const token = findToken(request)
    const isAccepted = token !== undefined && accepted.test(token) && !revoked.has(token)
    const body = await text(request)
    if (request.method === 'GET' && request.url?.startsWith('/v1/models?')) {
      return void response.writeHead(isAccepted ? 200 : 401, json).end(JSON.stringify({ models: [] }))
    }
    if (!shape) return void response.writeHead(501).end()
    records.push({ token, status: isAccepted ? 200 : 401 })
    const error = { type: 'authentication_error', message: 'this gateway does not accept the token' }
    if (!isAccepted) return void response.writeHead(401, json).end(JSON.stringify({ type: 'error', error }))
    toolOutputs.push(...findToolOutputs(body))
    const call = calls.shift()
    await call?.meanwhile?.()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of shape(call)) {
      if ('type' in event) response.write(`event: ${event.type}\n`)
      response.write(`data: ${JSON.stringify(event)}\n\n`)
    }
    response.end()
  }
  const server = createServer((request, response) => void answer(request, response))
  return {
    url: `http://127.0.0.1:${await listenOnLoopback(server)}`,
    records,
    toolOutputs,
    revokeSeen: () => {
      for (const { token } of records) revoked.add(token)
    },
    callNext: (call) => void calls.push(call),
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

const json = { 'content-type': 'application/json' }

function findToken({ headers }: IncomingMessage): string | undefined {
  const key = headers['x-api-key'] ?? headers['x-goog-api-key']
  return headers.authorization?.replace(/^Bearer /, '') ?? (typeof key === 'string' ? key : undefined)
}

/** Finds those that follow the last answer of the model, in the Responses API. */
function findToolOutputs(body: string): string[] {
  const { input = [] }: { input?: readonly { type?: string; output?: unknown }[] } = JSON.parse(body)
  const last = input.at(-1)
  return last?.type === 'function_call_output' ? [JSON.stringify(last.output)] : []
}

/** By a part of the path: the events of a whole answer. */
const shapes: Readonly<Record<string, (call?: ToolCall) => object[]>> = {
  '/v1/responses': listResponseEvents,
  '/v1/messages': listMessageEvents,
  ':streamGenerateContent': listGeneratedContent,
}

function listResponseEvents(call?: ToolCall): object[] {
  const message = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [{ type: 'output_text', text: modelSays }],
  }
  const item = call
    ? { type: 'function_call', call_id: 'call_1', ...splitName(call.name), arguments: JSON.stringify(call.input) }
    : message
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  return [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'resp_1', usage } },
  ]
}

function splitName(name: string): { name: string; namespace?: string } {
  const [own, namespace] = name.split('/').reverse()
  return { name: own!, ...(namespace && { namespace }) }
}

function listMessageEvents(): object[] {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'made-up', usage }
  return [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: modelSays } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
}

function listGeneratedContent(): object[] {
  const content = { role: 'model', parts: [{ text: modelSays }] }
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
  return [{ candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata, modelVersion: 'made-up' }]
}
