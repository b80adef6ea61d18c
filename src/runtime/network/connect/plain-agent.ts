import { lookup } from 'node:dns'
import { Agent } from 'node:http'
import type { LookupFunction } from 'node:net'
import { isLoopback } from '../loopback.ts'

/**
 * An agent for plain `http`, which is for this machine alone: a name below `localhost` counts as this machine (RFC 6761,
 * section 6.3), and many a system asks the network for it all the same.
 */
export function createPlainAgent(): Agent {
  return new Agent({ keepAlive: false, lookup: lookUp })
}

const lookUp: LookupFunction = (name, options, found) => lookup(isLoopback(name) ? 'localhost' : name, options, found)
