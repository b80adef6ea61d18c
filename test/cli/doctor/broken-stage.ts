import { chmod, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { runCli } from '../../../src/cli/run-cli.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { testHost } from '../../setup/test-host.ts'
import { createTestCli } from '../run-here.ts'
import { startServer } from '../start-server.ts'

/** A set-up of which one thing is wrong; what is absent works. */
export interface SetUp {
  /** The gateway's answer to everything. */
  readonly answer?: {
    readonly status: number
    readonly headers?: Record<string, string | (() => string)>
    readonly body?: string
  }
  /** In the place of a gateway of its own. */
  readonly baseUrl?: string
  /** The helper, as a shell script. */
  readonly helper?: string
  /** The first line of the helper's file, and its permissions. */
  readonly interpreter?: string
  readonly mode?: number
  readonly credential?: Readonly<Record<string, unknown>>
  readonly inference?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  /** Beside the document. */
  readonly flags?: readonly string[]
}

/** The essence of a run of `gatepass doctor`: its first line, the hint below it, its last line and its status. */
export interface Ending {
  readonly first: string | undefined
  readonly hint: string | undefined
  readonly verdict: string | undefined
  readonly status: number | string
}

/** A message as the API writes it. */
export const message = JSON.stringify({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'default',
  content: [{ type: 'text', text: 'Hello.' }],
})

/** Writes a document and its helper, and runs `gatepass doctor` in this process, with a real child and a real server. */
export async function examine(setUp: SetUp): Promise<Ending> {
  const { helper = 'echo opaque-token', interpreter = '#!/bin/sh', mode = 0o755, env = {}, flags = ['--yes'] } = setUp
  const directory = await temporaryDirectory()
  const command = join(directory, 'helper')
  await writeFile(command, `${interpreter}\n${helper}\n`)
  await chmod(command, mode)
  const baseUrl = setUp.baseUrl ?? (await startServer(toListener(setUp.answer)))
  const credential = { kind: 'helper-script', command, ...setUp.credential }
  const inference = { provider: 'gateway', baseUrl, credential, ...setUp.inference }
  const document = join(directory, 'document.json')
  await writeFile(document, JSON.stringify({ $schemaVersion: 2, inference }))
  const { cli, written } = await createTestCli(['doctor', document, ...flags])
  const host = await testHost({
    argv: cli.host.argv,
    env: { PATH: '/usr/bin:/bin', ...env },
    home: directory,
    clock: { now: Date.now, startedAt: Date.now(), elapsedMs: () => performance.now() },
  })
  await runCli({ ...cli, host })
  const text = [directory, new URL(baseUrl).host].reduce((shown, own) => shown.replaceAll(own, 'OWN'), written.stdout)
  return toEnding(text, written.status)
}

/** Returns the parts of a report that everybody reads. */
export function toEnding(report: string, status: number | string): Ending {
  const [first, second = ''] = report.split('\n')
  return {
    first,
    hint: / {4}→ (.*)/.exec(second)?.[1],
    verdict: report.trimEnd().split('\n').at(-1),
    status,
  }
}

function toListener({ status, headers = {}, body = '' }: NonNullable<SetUp['answer']> = good): RequestListener {
  return (_request, response) => {
    const own = Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : value()])
    response.writeHead(status, { 'content-type': 'application/json', ...Object.fromEntries(own) }).end(body)
  }
}

const good = { status: 200, body: message }

/** Returns an error in the envelope of the API. */
export function refusal(type: string, words: string): string {
  return JSON.stringify({ type: 'error', error: { type, message: words } })
}
