// Folder: requests and answers of the stand-in, its refusals, and faults on demand.

import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler, Next } from 'hono'
import * as z from 'zod'
import { findBearerToken } from '../../contract/headers.ts'
import { createErrorBody, type ErrorStatus, errorTypes } from '../../contract/http-api.ts'
import { isLoopbackHost } from '../../runtime/network/addresses.ts'
import { createRequestId } from '../../runtime/network/server-request.ts'
import { maxNames, quoteNames } from '../../runtime/text/quote.ts'
import { parseJson } from '../../runtime/values/json-value.ts'
import { vendor } from '../../vendor.ts'
import type { KeptValues } from '../store/kept-values.ts'
import type { State } from '../store/state.ts'
import type { Workspace } from '../store/workspaces.ts'
import type { Fault } from './faults.ts'

/** Answers 400 if a header with a single value is sent twice. */
export async function refuseRepeatedHeaders(c: Context<PlatformEnv>, next: Next): Promise<void> {
  // The raw list, because the parsed headers join repeated ones.
  const names = c.env.incoming.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  const isUnique = new Set(names).size === names.length
  const twice = isUnique ? undefined : singular.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
  if (twice !== undefined) throw new Refusal(400, `${twice} is sent more than once`)
  await next()
}

/** The headers with a single value: if one is repeated, no standard says which value is valid. */
const singular = ['authorization', 'x-api-key', vendor.versionHeader, vendor.workspaceHeader, 'content-type']

/**
 * Returns the credential of a request, from `authorization` or `x-api-key`, or from both if they are equal.
 * @throws {Refusal} 401 without one.
 */
export function requireCredential(header: (name: string) => string | undefined): string {
  const [authorization, key] = [header('authorization'), header('x-api-key')]
  const bearer = findBearerToken(authorization)
  if (authorization !== undefined && bearer === undefined)
    throw new Refusal(401, 'authorization is not of the form "Bearer <credential>"')
  if (bearer !== undefined && key !== undefined && bearer !== key)
    throw new Refusal(401, 'authorization and x-api-key carry different credentials')
  const credential = bearer ?? key
  if (!credential) throw new Refusal(401, 'there is no credential: send it as "Authorization: Bearer <credential>"')
  return credential
}

/** The parts of the API, which differ in permissions and required headers. */
export type Area = 'messages' | 'sessions' | 'administration'

interface AreaRules {
  /** Whether the header of the version must be sent; its value is checked wherever it is sent. */
  readonly version: 'required' | 'optional'
  readonly beta: 'sessions' | 'none'
  /** The longest body, in bytes. Our decision; the specification states no limit. */
  readonly largestBody: number
}

const mib = 1024 * 1024

/** Source: table "Common request headers", and the required headers of "Create message". */
export const areaRules: Readonly<Record<Area, AreaRules>> = {
  messages: { version: 'required', beta: 'none', largestBody: 32 * mib },
  sessions: { version: 'optional', beta: 'sessions', largestBody: mib },
  administration: { version: 'optional', beta: 'none', largestBody: mib },
}

/** The facts that are collected about a request while it is answered. */
export interface PlatformEnv {
  Bindings: HttpBindings
  Variables: {
    requestId: string
    /** Why the request was refused, for the gateway's own record. */
    reason: string | undefined
    /** A remark for the gateway's own record about something in the request that the specification does not cover. */
    note: string | undefined
    fault: Fault | undefined
    /** Set once the request is authenticated. */
    call: AuthenticatedCall
  }
}

/** An authenticated request, with the parts that an operation needs. */
export interface AuthenticatedCall {
  readonly state: State
  /** The rendered pages of lists, until a change makes them invalid. */
  readonly pages: KeptValues<Uint8Array<ArrayBuffer>>
  readonly request: Context<PlatformEnv>
  /** `undefined` for an administrative key, which has no workspace. */
  readonly workspace: Workspace | undefined
  /** A parameter of the path, which the specification writes in braces. */
  readonly parameter: (name: string) => string
}

interface RefusalDetails {
  readonly headers?: Readonly<Record<string, string>>
  /** The reason for the gateway's own record; the caller does not learn it. */
  readonly reason?: string
}

/** A refused request, which is answered with the error envelope. The message never repeats a secret. */
export class Refusal extends Error {
  readonly status: ErrorStatus
  readonly headers: Readonly<Record<string, string>>
  readonly reason: string | undefined

  constructor(status: ErrorStatus, message: string, { headers = {}, reason }: RefusalDetails = {}) {
    super(message)
    this.name = 'Refusal'
    this.status = status
    this.headers = headers
    this.reason = reason
  }
}

/**
 * Refuses the requests of web pages, because a page can reach loopback in two ways: by a request from another origin, which has the header
 * `Origin`, or by DNS rebinding, which resolves a foreign name to 127.0.0.1 and sends that name as `Host`.
 */
export const answerBrowsers: MiddlewareHandler = async (c, next) => {
  if (isLoopbackHost(c.req.header('host')) && c.req.header('origin') === undefined) return next()
  const requestId = c.get('requestId') ?? createRequestId() // the Messages API gateway sets no id
  return c.json(
    createErrorBody(errorTypes[403], 'this gateway answers programs on its own machine only', requestId),
    403,
  )
}

/**
 * Reads a JSON body of the given shape.
 * @throws {Refusal} 400 that names members and what was expected, and never a value, which may be a secret.
 */
export async function readBody<Shape extends z.ZodType>(request: Context, shape: Shape): Promise<z.infer<Shape>> {
  if (!/^application\/json\s*(;|$)/i.test(request.req.header('content-type') ?? ''))
    throw new Refusal(400, 'content-type must be application/json')
  const value = parseJson(decode(await request.req.arrayBuffer()))
  if (value === undefined) throw new Refusal(400, 'the body is not JSON')
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Refusal(400, renderIssues(parsed.error.issues.slice(0, 5)))
}

/** Creates the shape of a text of 1 to `most` UTF-16 code units, as the client counts them; the library would count code points. */
export function createTextShape(most: number) {
  return z.string().refine(({ length }) => length >= 1 && length <= most, `expected 1 to ${most} characters`)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: ArrayBuffer): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new Refusal(400, 'the body is not UTF-8') // decoding would store replacement characters
  }
}

/**
 * Renders the problems, one member at a time. Unknown members are named by the caller, so few names are repeated, and long ones are
 * shortened.
 */
function renderIssues(issues: readonly z.core.$ZodIssue[]): string {
  let left = maxNames
  const lines = issues.map((issue) => {
    const where = issue.path.map(String).join('.') || 'the body'
    if (issue.code !== 'unrecognized_keys') return `${where}: ${issue.message}`
    const names = quoteNames(issue.keys, left)
    left -= Math.min(left, issue.keys.length)
    return `${where}: unknown members: ${names}`
  })
  return lines.join('; ')
}

/** Answers with JSON that is already text. */
export function answerJson(request: Context, json: string): Response {
  return request.body(json, 200, { 'content-type': 'application/json' })
}

/** The message about an error that is not foreseen. */
export const defectMessage = 'this is a defect of the gateway'

/** The message of an answer to a credential that is refused, which says nothing of the reason. */
export const unacceptedMessage = 'the credential is not accepted'

/** The message of an answer to a path that nothing serves. */
export const noRouteMessage = 'there is no such route'
