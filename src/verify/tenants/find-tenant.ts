import { findOne, findRequestHost, type GatewayQuestion, type RequestSource } from '../server/find-request-facts.ts'
import type { Tenants } from './parse-tenants.ts'

/** The name of the tenant whose request a gateway asks about; `undefined` if it is nobody's. */
export type FindTenant = (question: GatewayQuestion, source: RequestSource) => string | undefined

/**
 * Finds tenants by the header in which the gateway names them, otherwise by the host of the request as rules see it. A header that is there
 * twice, and a host that two servers could read in two ways, name nobody.
 */
export function createFindTenant({ header, tenants }: Tenants): FindTenant {
  if (header !== undefined) {
    const names = new Set(tenants.map(({ name }) => name))
    return ({ rawHeaders }) => {
      const name = findOne(rawHeaders, header)
      return name !== undefined && names.has(name) ? name : undefined
    }
  }
  const byHost = new Map(tenants.flatMap(({ name, hosts }) => hosts.map((host) => [host, name] as const)))
  return (question, source) => {
    const host = findRequestHost(question, source)
    return host === undefined ? undefined : byHost.get(host)
  }
}
