import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { type Stage, startStage } from '../../gateway/stage.ts'
import type { Outcome } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { type Front, startFront } from '../../stand-ins/front/front.ts'
import { type ForwardProxy, startForwardProxy } from '../../stand-ins/proxy/forward-proxy.ts'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'
import { startServer } from '../start-server.ts'

/** A name that leads nowhere but through a proxy (RFC 6761). */
export const host = 'api.gatepass.invalid'

/** A platform that is reached over TLS, signed by the organization's own authority, and through the organization's proxy. */
export interface ApiSite {
  readonly stage: Stage
  readonly front: Front
  readonly proxy: ForwardProxy
  readonly home: string
  /** The settings of a machine of this organization. */
  readonly env: Readonly<Record<string, string>>
  /** Runs `gatepass` with a key of the platform, and with no other variables than these. */
  run(argv: readonly string[], env?: Readonly<Record<string, string>>, input?: string): Promise<Outcome>
}

export async function startApiSite(): Promise<ApiSite> {
  const stage = await startStage()
  const authority = createAuthority('Example Corp Root CA')
  const front = await startFront(await startRelay(stage.url), authority.issue({ names: [host, '127.0.0.1'] }))
  const proxy = await startForwardProxy({ routes: { [`${host}:443`]: front.port } })
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]()
    await front[Symbol.asyncDispose]()
  })
  const home = await temporaryDirectory()
  const caPath = join(home, 'corp.pem')
  await writeFile(caPath, authority.cert)
  const key = { VENDOR_API_KEY: stage.seed.keys.personal.secret.reveal(), HOME: home }
  const env = { NODE_EXTRA_CA_CERTS: caPath, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }
  return {
    stage,
    front,
    proxy,
    home,
    env,
    run: async (argv, given = env, input = '') => {
      const options = { extendEnv: false, reject: false, stripFinalNewline: false } as const
      const { exitCode, stdout, stderr } = await execa(process.execPath, [toBundlePath('gatepass'), ...argv], {
        ...options,
        env: { ...key, ...given },
        input,
      })
      return { status: exitCode ?? 'killed', stdout, stderr }
    },
  }
}

/** Answers to the platform's own name only, as everything on loopback ought to. */
function startRelay(behind: string): Promise<string> {
  const { hostname, port, host } = new URL(behind)
  return startServer((message, response) => {
    const { method, url: path, headers } = message
    const asking = request({ hostname, port, method, path, headers: { ...headers, host }, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    message.pipe(asking.once('error', () => response.destroy()))
  })
}
