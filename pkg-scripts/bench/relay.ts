import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listenOnLoopback } from '../../src/runtime/network/local-server.ts'
import { bundleAll } from '../bundle/bundle.ts'
import { toBundlePath } from '../tree.ts'
import type { Comparison } from './compare-pairs.ts'
import { printComparison } from './report.ts'

/** The client's measurements, each through the relay and directly at the gateway. */
export interface RelayMeasurements {
  readonly request: Comparison
  readonly event: Comparison
  readonly download: Comparison
  readonly upload: Comparison
}

/** The length of a long answer, and of a long request. */
export const longBytes = 64 * 1024 * 1024

/**
 * Prints the overhead of `gatepass run`: a client that it has started sends each request alternately through the relay and to the gateway.
 */
export async function printRelay(pairs: number): Promise<void> {
  await bundleAll()
  const home = await mkdtemp(join(tmpdir(), 'gatepass bench '))
  const { server, url } = await startGateway()
  try {
    const helper = join(home, 'helper')
    await writeFile(helper, '#!/bin/sh\necho token\n')
    await chmod(helper, 0o755)
    const relay = [
      toBundlePath('gatepass'),
      'run',
      '--helper',
      helper,
      '--base-url',
      url,
      '--client',
      'openai',
      '--base-path',
      '',
    ]
    const client = [process.execPath, join(import.meta.dirname, 'relay-client.ts'), url, String(pairs)]
    const { stdout } = await promisify(execFile)(process.execPath, [...relay, '--', ...client])
    const { request, event, download, upload }: RelayMeasurements = JSON.parse(stdout)
    console.log(`Node ${process.versions.node}, ${pairs} pairs, each measured in turn; median (min to max)\n`)
    printComparison('a hundred requests through the relay', 'at the gateway itself', 'ms', request)
    printComparison(
      'a hundred events of a stream, each answered, through the relay',
      'at the gateway itself',
      'ms',
      event,
    )
    printComparison('an answer of 64 MiB through the relay', 'at the gateway itself', 'ms', download)
    printComparison('a request of 64 MiB through the relay', 'at the gateway itself', 'ms', upload)
  } finally {
    server.close()
    await rm(home, { recursive: true, force: true })
  }
}

/** Answers by the request: with the body of the request as it arrives, a long answer, or a short one. */
async function startGateway(): Promise<{ readonly server: Server; readonly url: string }> {
  const piece = Buffer.alloc(64 * 1024)
  const server = createServer(async (request, response) => {
    if (request.url === '/echo') return void request.pipe(response)
    for await (const _ of request);
    if (request.url !== '/long') return void response.end('{"type":"message"}')
    for (let sent = 0; sent < longBytes; sent += piece.length)
      if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve))
    response.end()
  })
  return { server, url: await listenOnLoopback(server) }
}
