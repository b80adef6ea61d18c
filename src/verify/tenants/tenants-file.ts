// Folder: several tenants of one verifier: each has its own policy, log, audit, revocations and used tokens.

import { dirname, resolve } from 'node:path'
import * as z from 'zod'
import { HelperError } from '../../runtime/failure.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import { locateFindings } from '../../runtime/values/position.ts'
import { programName } from '../../version.ts'
import { parseObjectFile } from '../policy/parse-object-file.ts'
import { createPolicyFinding, type PolicyFinding, type PolicyProblem } from '../policy/policy-finding.ts'
import { policyLimits } from '../policy/policy-limits.ts'
import { createSchema, schemaMember } from '../policy/policy-shape.ts'
import { describePolicyErrors, readBoundedFile } from '../policy/read-policy-file.ts'
import { reportIssues, withExamination } from '../policy/report-issues.ts'
import { parseRequestHost } from '../policy/request-condition.ts'
import { revocationsSummary } from '../revocation/revocations.ts'
import {
  findOnlyHeader,
  findRequestHost,
  type GatewayQuestion,
  type RequestSource,
} from '../server/to-request-facts.ts'

/** One tenant of a verifier, with resolved paths. */
export interface Tenant {
  /** In lower case; it is in every line of the log, and is the label of the metrics. */
  readonly name: string
  /** The hosts whose requests belong to this tenant; empty if a header names the tenant. */
  readonly hosts: readonly string[]
  readonly policy: string
  /** A file for the tenant's log; the log of the process if absent. */
  readonly log?: string
  /** A file for the tenant's audit; the audit of the process if absent. */
  readonly audit?: string
  /** The paths of files, or `redis`. */
  readonly revocations: readonly string[]
}

/** All tenants of a verifier, and how a request names its tenant. */
export interface Tenants {
  /** The header in which the gateway names the tenant, in lower case; if absent, the host of the request decides. */
  readonly header?: string | undefined
  readonly tenants: readonly Tenant[]
}

/** The most tenants: each has a cache of its own. Our decision. */
const maxTenants = 100

/** The label of requests that belong to no tenant. */
export const noTenant = 'none'

/** The word for a list of revocations in Redis, used in place of a path. */
const inRedis = 'redis'

const path = z.string().min(1).max(policyLimits.textLength)

const tenantShape = z.strictObject({
  name: withExamination(z.string().min(1).max(63), validateName).describe(
    'its name, for the log, the audit, the metrics and the keys in Redis',
  ),
  hosts: z
    .array(withExamination(z.string().min(1).max(255), validateHost))
    .min(1)
    .max(100)
    .describe('the hosts of the requests that are its own; in every tenant, or in none with a header')
    .optional(),
  policy: path.describe('its policy, beside this file'),
  log: path.describe('a file for its lines of the log; the log of the process by default').optional(),
  audit: path.describe('a file for its decisions; that of --audit by default').optional(),
  revocations: z.array(path).max(10).describe(revocationsSummary).optional(),
})

const tenantsShape = z.strictObject({
  $schema: schemaMember,
  header: withExamination(z.string().min(1).max(200), validateHeader)
    .describe('the header in which the gateway, and no caller, names the tenant; the host of the request by default')
    .optional(),
  tenants: z.array(tenantShape).min(1).max(maxTenants).describe('everybody who shares the verifier'),
})

/** Reads a file of tenants. Never throws: problems are among the findings. */
export async function readTenantsFile(file: string, writers: 'anybody' | 'its owner'): Promise<TenantsReading> {
  const content = await readBoundedFile(file, writers)
  if (content instanceof Uint8Array) return parseTenants(content, dirname(file))
  return { tenants: undefined, findings: [content] }
}

/** The result of reading a file of tenants. */
interface TenantsReading {
  /** `undefined` if a finding is an error. */
  readonly tenants: Tenants | undefined
  readonly findings: readonly PolicyFinding[]
}

/**
 * Requires tenants without errors.
 * @throws {HelperError} `not-configured` if the file has errors.
 */
export function requireTenants(file: string, { tenants, findings }: TenantsReading): Tenants {
  if (tenants) return tenants
  throw new HelperError(
    'not-configured',
    `the tenants of ${file} cannot be used: ${describePolicyErrors(findings)}`,
    `see everything that is wrong: ${programName} gateway policy check --tenants ${quoteForHint(file)}`,
  )
}

/**
 * Parses tenants, a JSON object in UTF-8; pure.
 * @param directory The directory to which paths are relative.
 */
function parseTenants(bytes: Uint8Array, directory: string): TenantsReading {
  const { value, findings, positions } = parseObjectFile(bytes, { noun: 'file of tenants', levels: 10 })
  if (value === undefined) return { tenants: undefined, findings }
  const parsed = tenantsShape.safeParse(value)
  const ofMeaning = parsed.success
    ? validateTenants(parsed.data)
    : reportIssues(parsed.error.issues, value, tenantsShape)
  const all = locateFindings([...findings, ...ofMeaning], positions)
  const isWrong = !parsed.success || all.some(({ severity }) => severity === 'error')
  return { tenants: isWrong ? undefined : toTenants(parsed.data, directory), findings: all }
}

type GivenTenants = z.output<typeof tenantsShape>

function validateTenants({ header, tenants }: GivenTenants): PolicyFinding[] {
  const names = new Set<string>()
  const hosts = new Set<string>()
  const report = (...[at, message, hint]: [at: string, message: string, hint: string]) =>
    createPolicyFinding('tenant-unclear', at, message, hint)
  return tenants.flatMap((tenant, index) => {
    const tenantPath = `tenants[${index}]`
    const again = names.has(tenant.name)
      ? [report(`${tenantPath}.name`, 'another tenant has this name', 'choose another one')]
      : []
    names.add(tenant.name)
    if (header !== undefined)
      return tenant.hosts
        ? [
            ...again,
            report(`${tenantPath}.hosts`, 'the header names the tenant, and no host does', 'remove hosts, or header'),
          ]
        : again
    if (!tenant.hosts)
      return [
        ...again,
        report(tenantPath, 'no request can reach this tenant', 'add its hosts, or a header that names the tenant'),
      ]
    const shared = tenant.hosts.flatMap((host, at) => {
      const isTaken = hosts.has(host)
      hosts.add(host)
      const message = 'this host is there already'
      return isTaken ? [report(`${tenantPath}.hosts[${at}]`, message, 'give each host to one tenant, once')] : []
    })
    return [...again, ...shared]
  })
}

/** Returns the tenants, with every path made absolute. */
function toTenants({ header, tenants }: GivenTenants, directory: string): Tenants {
  const toAbsolute = (name: string) => resolve(directory, name)
  return {
    header: header?.toLowerCase(),
    tenants: tenants.map(({ name, hosts = [], policy, log, audit, revocations = [] }) => ({
      name,
      hosts,
      policy: toAbsolute(policy),
      ...(log !== undefined && { log: toAbsolute(log) }),
      ...(audit !== undefined && { audit: toAbsolute(audit) }),
      revocations: revocations.map((where) => (where === inRedis ? where : toAbsolute(where))),
    })),
  }
}

function validateName(name: string): PolicyProblem | undefined {
  if (/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) && name !== noTenant) return undefined
  const message = 'it cannot be the name of a tenant'
  const hint = `write lower-case letters, digits and dashes between them, such as team-red; not "${noTenant}"`
  return { code: 'invalid-value', message, hint }
}

function validateHost(host: string): PolicyProblem | undefined {
  if (parseRequestHost(host) === host) return undefined
  const hint = 'write one whole name in lower case, without a port, a pattern, and a dot at its end'
  return { code: 'invalid-value', message: 'no host of a request is this one', hint }
}

/** The header's name may contain only characters of RFC 9110, section 5.6.2, that have no special meaning in configurations of gateways. */
function validateHeader(name: string): PolicyProblem | undefined {
  if (/^[a-z][a-z0-9-]*$/i.test(name)) return undefined
  const hint = 'write letters, digits and dashes, such as x-gatepass-tenant'
  return { code: 'invalid-value', message: 'no gateway can set a header of this name', hint }
}

/** Creates a JSON Schema (2020-12) of a file of tenants, for editors. */
export function createTenantsSchema(): Readonly<Record<string, unknown>> {
  return createSchema(tenantsShape, 'Tenants of a verifier')
}

/** The name of the tenant to which a gateway's request belongs; `undefined` if it belongs to none. */
export type FindTenant = (question: GatewayQuestion, source: RequestSource) => string | undefined

/**
 * Finds tenants by the header in which the gateway names them, otherwise by the normalized host of the request. A repeated header, or a
 * host that two servers could read differently, names no tenant.
 */
export function createFindTenant({ header, tenants }: Tenants): FindTenant {
  if (header !== undefined) {
    const names = new Set(tenants.map(({ name }) => name))
    return ({ rawHeaders }) => {
      const name = findOnlyHeader(rawHeaders, header)
      return name !== undefined && names.has(name) ? name : undefined
    }
  }
  const byHost = new Map(tenants.flatMap(({ name, hosts }) => hosts.map((host) => [host, name] as const)))
  return (question, source) => {
    const host = findRequestHost(question, source)
    return host === undefined ? undefined : byHost.get(host)
  }
}
