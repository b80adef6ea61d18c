import { createApi } from '../../src/api/create-api.ts'
import { Secret } from '../../src/runtime/secret.ts'
import { renderSize } from './report.ts'
import { type LoadServer, type Memory, startLoadServer } from './start-load-server.ts'

/** Pages through all resources of a session with the typed client, `times` times. */
export async function measurePaging(gateway: LoadServer, resources: number, times: number): Promise<Paging> {
  const credential = { token: new Secret(gateway.key), scheme: 'bearer', headers: {} } as const
  const credentials = { current: async () => credential, renew: async () => undefined }
  const api = createApi({ baseUrl: gateway.url, credentials, fetch })
  const before = await gateway.measureMemory()
  const startedAt = performance.now()
  for (let time = 0; time < times; time += 1) {
    let count = 0
    for await (const _ of api.resources.iterate(gateway.session, { limit: 1000 })) count += 1
    if (count !== resources) throw new Error(`${count} of ${resources} resources came`)
  }
  return { before, after: await gateway.measureMemory(), seconds: (performance.now() - startedAt) / 1000 }
}

/** The gateway's memory before and after all resources of a session were fetched, page by page. */
interface Paging {
  readonly before: Memory
  readonly after: Memory
  readonly seconds: number
}

/** Pages through a hundred thousand resources, and prints the gateway's memory before and after. */
export async function printPaging(): Promise<void> {
  const resources = 100_000
  using gateway = await startLoadServer({ resources })
  const { before, after, seconds } = await measurePaging(gateway, resources, 1)
  console.log(`gateway, ${resources} resources of one session by pages of 1000: ${seconds.toFixed(1)} s
  heap: ${renderSize(before.heapBytes)} before, ${renderSize(after.heapBytes)} after
  resident: ${renderSize(before.residentBytes)} before, ${renderSize(after.residentBytes)} after, ${renderSize(after.peakBytes)} at most
`)
}
