import { lookup } from 'node:dns'
import { Agent } from 'node:http'
import type { LookupFunction } from 'node:net'
import { isLoopback } from '../loopback.ts'

/**
 * An agent for plain `http`, which is for this machine and metadata services only. It resolves names below `localhost`
 * to this machine (RFC 6761, section 6.3), which some systems look up in the network.
 */
export function createPlainAgent(): Agent {
  return new Agent({ keepAlive: false, lookup: lookUp })
}

const lookUp: LookupFunction = (name, options, found) => lookup(isLoopback(name) ? 'localhost' : name, options, found)
