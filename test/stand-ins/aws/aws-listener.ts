import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { type AwsAnswer, toAnswer, toRefusalAnswer } from './aws-answer.ts'
import { type AwsOperation, type AwsOperationName, AwsRefusal, type AwsRequest } from './aws-operation.ts'
import type { AwsFailure } from './scripted-failures.ts'

/** One request as it was answered. */
export interface RecordedRequest {
  /** The method and path where nobody scripted an answer (status 501). */
  operation: AwsOperationName | `${string} /${string}`
  parameters: Record<string, string>
  status: number | 'reset' | 'silence'
  /** The key that it says it was signed with. */
  accessKeyId?: string
}

interface Services {
  now(): Date
  operations: readonly AwsOperation[]
  takeFailure(operation: AwsOperationName): AwsFailure | undefined
  requests: RecordedRequest[]
}

/** Finds the operation, fails it as scripted or answers it, and records the outcome. */
export function createAwsListener({ now, operations, takeFailure, requests }: Services): RequestListener {
  const answerRequest = async (message: IncomingMessage, response: ServerResponse) => {
    const request = await readRequest(message)
    // Every service of AWS answers it with the time; it asks for nothing, so that it is no request to record.
    if (request.method === 'HEAD' && request.url.pathname === '/') return answerTime(response, now())
    const operation = operations.find((candidate) => candidate.accepts(request))
    const parameters = operation?.parameters(request) ?? readPairs(request)
    const record = (status: RecordedRequest['status']) =>
      requests.push({
        operation: operation?.name ?? `${request.method} ${request.url.pathname as `/${string}`}`,
        parameters,
        status,
        ...parseSigner(request),
      })
    const failure = operation && takeFailure(operation.name)
    if (failure?.kind === 'reset') message.socket.resetAndDestroy()
    if (failure?.kind === 'reset' || failure?.kind === 'silence') return record(failure.kind)
    if (failure?.kind === 'slow') await pause(failure.delayMs)
    if (failure?.kind === 'late') await failure.after()
    const answer = operation ? answerOperation(operation, request, parameters, failure) : unscripted(request)
    record(answer.status)
    response.sendDate = false
    return response.writeHead(answer.status, { ...answer.headers, date: now().toUTCString() }).end(answer.body)
  }
  return (message, response) => {
    answerRequest(message, response).catch((problem: unknown) => {
      // A client may give up while sending; any other error is the stand-in's own.
      if (message.complete) throw problem
    })
  }
}

function answerTime(response: ServerResponse, now: Date) {
  response.sendDate = false
  return response.writeHead(403, { date: now.toUTCString() }).end()
}

async function readRequest(message: IncomingMessage): Promise<AwsRequest> {
  const { method = '', url = '/', headers } = message
  return { method, url: new URL(`http://${headers.host}${url}`), headers, body: await text(message) }
}

function answerOperation(
  operation: AwsOperation,
  request: AwsRequest,
  parameters: Record<string, string>,
  failure: AwsFailure | undefined,
): AwsAnswer {
  try {
    if (failure?.kind === 'error') throw refuseAsScripted(failure)
    return toAnswer(operation, operation.answer(request, parameters))
  } catch (problem) {
    if (problem instanceof AwsRefusal) return toRefusalAnswer(operation, problem)
    throw problem
  }
}

function refuseAsScripted({ code, status, message, reason }: AwsFailure & { kind: 'error' }): AwsRefusal {
  return new AwsRefusal(code, status, message ?? code, reason)
}

/** Reads the operation that an unscripted request asked for, as far as that can be told. */
function readPairs({ url, body, headers }: AwsRequest): Record<string, string> {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  return Object.fromEntries([...url.searchParams, ...new URLSearchParams(isForm ? body : '')])
}

function unscripted({ method, url }: AwsRequest): AwsAnswer {
  const body = `the AWS stand-in has no answer to ${method} ${url.pathname}: nobody scripted one\n`
  return { status: 501, headers: { 'content-type': 'text/plain' }, body }
}

function parseSigner({ url, headers }: AwsRequest): { accessKeyId?: string } {
  const credential = headers.authorization ?? url.searchParams.get('X-Amz-Credential')
  const accessKeyId = credential?.match(/\b[A-Z0-9]{16,}(?=\/\d{8}\/)/)?.[0]
  return accessKeyId === undefined ? {} : { accessKeyId }
}
