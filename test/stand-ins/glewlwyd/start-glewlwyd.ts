import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { execa } from 'execa'
import { findFreePort } from '../../gateways/gateway-process.ts'
import { renderConfiguration } from './configuration.ts'
import { copyPages } from './copy-pages.ts'
import { setUpGlewlwyd } from './set-up.ts'

/** Glewlwyd, an OpenID provider in C, with one public client, one with a secret, and one user. */
export interface Glewlwyd extends AsyncDisposable {
  readonly issuer: string
  readonly clientId: string
  readonly user: { readonly name: string; readonly password: string }
  /** A client with a secret, which gets tokens for `https://gateway.example` in its own name. */
  readonly machine: { readonly id: string; readonly secret: string }
  /** The one that is registered: glewlwyd compares the port as well. */
  readonly redirect: { readonly port: number; readonly path: string }
}

/** The database as Debian's package fills it, with the user `admin`. */
const script = '/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz'

/** Starts it with a database of its own, within a third of a second. */
export async function startGlewlwyd(): Promise<Glewlwyd> {
  const directory = await mkdtemp(join(tmpdir(), 'gatepass-glewlwyd-'))
  const port = await findFreePort()
  const database = new DatabaseSync(join(directory, 'glewlwyd.db'))
  database.exec(gunzipSync(readFileSync(script)).toString())
  database.close()
  await copyPages(join(directory, 'pages'))
  const configuration = join(directory, 'glewlwyd.conf')
  await writeFile(configuration, renderConfiguration({ port, directory }))
  const child = execa('glewlwyd', [`--config-file=${configuration}`], { reject: false, stdin: 'ignore' })
  const stop = async () => {
    child.kill('SIGTERM')
    await child
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await untilAnswering(port)
    const redirect = { port: await findFreePort(), path: '/oauth/callback' }
    const set = await setUpGlewlwyd(`http://localhost:${port}`, `http://127.0.0.1:${redirect.port}${redirect.path}`)
    return { ...set, redirect, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function untilAnswering(port: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await fetch(`http://localhost:${port}/login.html`)
      return
    } catch (error) {
      if (attempt === 100) throw error
      await sleep(50)
    }
  }
}
