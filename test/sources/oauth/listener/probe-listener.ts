import { request } from 'node:http'
import { openListener } from '../../../../src/sources/oauth/listener/open-listener.ts'

/** Opens a listener for each host, comes back to it on each address, and prints what each was answered. */
const results: Record<string, Record<string, number | string>> = {}
for (const host of ['127.0.0.1', 'localhost'] as const) results[host] = await attempt(host)
process.stdout.write(JSON.stringify(results))

async function attempt(host: '127.0.0.1' | 'localhost'): Promise<Record<string, number | string>> {
  try {
    const listener = await openListener({ hosts: [host], path: '/back' }, { subject: 'Example' })
    void listener.waitForCallback('S').then(() => listener.finish({}))
    const { port } = new URL(listener.redirectUri)
    const four = await visit('127.0.0.1', `${host}:${port}`)
    const six = await visit('::1', `${host}:${port}`)
    await listener.close()
    return { '127.0.0.1': four, '::1': six }
  } catch (error) {
    return { failure: (error as Error).message }
  }
}

function visit(address: string, host: string): Promise<number | string> {
  return new Promise((resolve) => {
    const port = host.split(':')[1]
    const call = request({ host: address, port, path: '/back?code=c&state=S', headers: { host } })
    call.on('response', (response) => resolve(response.resume().statusCode ?? 0))
    call.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name)).end()
  })
}
